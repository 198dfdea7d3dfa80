/**
 * Small models as data: complete InstructBLIP folders (ViT, Q-Former, projection, LLaMA, tokenizers, preprocessor) of about a million
 * parameters each, for `--policy` and everything that reads such folders. This package only says where they lie.
 */
import { fileURLToPath } from 'node:url';

const folder = (name: string): string => fileURLToPath(new URL(`../${name}/model`, import.meta.url));

/** Absolute path of the model that sees card games and MiniGrid and answers in JSON. */
export const rlTiny: string = folder('rl-tiny');
/** Absolute path of the model that sees a table and says a robot's actions as tokens. */
export const vlaTiny: string = folder('vla-tiny');
/** Absolute path of the model that describes drawn things and tells whether a description fits one. */
export const lewisTiny: string = folder('lewis-tiny');
