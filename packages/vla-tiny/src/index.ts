/**
 * The model for the tabletop as data: a complete InstructBLIP folder (ViT, Q-Former, projection, LLaMA, tokenizers,
 * preprocessor) of about a million parameters. This package only says where it lies.
 */
import { fileURLToPath } from 'node:url';

/** Absolute path of the model folder, for everything that reads InstructBLIP folders. */
export const modelFolder: string = fileURLToPath(new URL('../model', import.meta.url));
