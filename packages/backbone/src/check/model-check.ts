/** Checks a model's folder without reading a weight: family, parts, types, memory, and missing files. */
import { EmacError } from '@emac/core';
import { isThere } from '@emac/files';

import type { PromptForm } from '../families/prompts/prompt-form.ts';
import { readGenerationConfig } from '../files/generation-config.ts';
import type { JsonObject } from '../files/json-object.ts';
import { openModelFiles, type ModelFiles } from '../files/model-files.ts';
import { loadTokenizer } from '../files/tokenizer.ts';
import { adapterTargets } from '../networks/adapter.ts';
import { layerPlace, type LayerPlace } from '../streamed/layer-place.ts';
import { memoryOf, type AdapterSize, type MemoryNeed, type PromptSize } from './memory.ts';

export interface ModelCheck {
  readonly folder: string;
  readonly family: string;
  readonly parts: readonly ModelPart[];
  /** how a text becomes a prompt; null if that is among the missing */
  readonly prompts: PromptForm['kind'] | null;
  /** rows of the token embedding */
  readonly vocabulary: number;
  readonly positions: number;
  /** where the language model's layers would be held */
  readonly layers: LayerPlace;
  /** the prompt of the memory estimate */
  readonly prompt: PromptSize;
  readonly adapter: AdapterSize;
  readonly memory: readonly MemoryNeed[];
  /** settings of `generation_config.json` that a command's own settings stand for */
  readonly overruled: JsonObject;
  /** one sentence per missing thing that acting needs */
  readonly missing: readonly string[];
}

export interface ModelPart {
  readonly name: 'eye' | 'connector' | 'language model';
  readonly parameters: number;
  /** as stored */
  readonly bytes: number;
  /** of tensors, by stored type */
  readonly types: Readonly<Record<string, number>>;
}

/** a frame of ALFWorld, and the default limits of text and answer */
const frame = { width: 300, height: 300 };
const [text, answer] = [1024, 128];
/** training's default adapter */
const adapter: AdapterSize = { rank: 8, targets: adapterTargets };

/**
 * Checks a folder, or the JSON file of a composed model. Errors: those of `openModelFiles`, if configuration or weights
 * are missing, damaged, or of an unknown family.
 */
export function checkModel(folder: string): ModelCheck {
  const files = openModelFiles(folder);
  const missing: string[] = [];
  const tried = <T>(make: () => T): T | null => {
    try {
      return make();
    } catch (thrown) {
      if (!(thrown instanceof EmacError)) throw thrown;
      missing.push(thrown.message);
      return null;
    }
  };
  const { vision } = files.family;
  const eye = vision && tried(() => vision.eye(files));
  const prompts = tried(() =>
    files.family.prompts(files, loadTokenizer(files.companions.tokenizer, files.companions.beginToken)),
  );
  if (!isThere(files.companions.imageProcessor) && eye)
    missing.push(`${files.companions.imageProcessor}: does not exist; CLIP's numbers are used`);
  const generation = tried(() => readGenerationConfig(files.companions.generation));
  const layers = layerPlace(files, 'cpu');
  const prompt = { visual: eye?.tokens(frame) ?? 0, text, answer };
  return {
    folder,
    family: files.family.name,
    parts: partsOf(files),
    prompts: prompts && prompts.kind,
    vocabulary: files.vocabulary,
    positions: files.config.llama.maxPositions,
    layers,
    prompt,
    adapter,
    memory: memoryOf(files, { layers, prompt, adapter }),
    overruled: generation?.overruled ?? {},
    missing,
  };
}

/** The part that owns a tensor, by the tensor's name. */
export function partOf(name: string): ModelPart['name'] {
  if (name.startsWith('language_projection.')) return 'connector';
  return name.startsWith('language_model.') ? 'language model' : 'eye';
}

/** A model that reads text alone is its language model. */
function partsOf({ tensors, family }: Pick<ModelFiles, 'tensors' | 'family'>): ModelPart[] {
  const all = [...tensors.values()];
  const names = family.vision
    ? (['eye', 'connector', 'language model'] as const)
    : (['language model'] as const);
  return names.map((name) => {
    const own = all.filter((tensor) => partOf(tensor.name) === name);
    const types: Record<string, number> = {};
    for (const { dtype } of own) types[dtype] = (types[dtype] ?? 0) + 1;
    const bytesOf = { F32: 4, F16: 2, BF16: 2, I8: 1 } as Partial<Record<string, number>>;
    const count = ({ shape }: { shape: readonly number[] }) => shape.reduce((size, each) => size * each, 1);
    return {
      name,
      parameters: own.reduce((sum, tensor) => sum + count(tensor), 0),
      bytes: own.reduce((sum, tensor) => sum + count(tensor) * (bytesOf[tensor.dtype] ?? 4), 0),
      types,
    };
  });
}
