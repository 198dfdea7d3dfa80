/**
 * Low-rank adapters as PEFT stores them: a folder with `adapter_config.json` and `adapter_model.safetensors` (or the older
 * `adapter_model.bin`), under PEFT 0.18's key names. The tensors determine the adapted projections. Departure: forms other
 * than y + s·B·A·x are rejected by name.
 */
import { join } from '@emac/platform';

import { EmacError } from '@emac/core';
import { encodeFloats, isThere, openSafetensors } from '@emac/files';

import { fieldsOf, readJsonObject, type Fields } from './json-object.ts';
import type { Family } from '../families/family.ts';
import type { ModelFiles } from './model-files.ts';
import { adapterTargets, isAdapterWeight, type AdapterTarget } from '../networks/adapter.ts';
import { valuesOf, type StoredTensor, type TensorTable } from './tensor-table.ts';
import { readTorchTensors } from './torch/torch-file.ts';

export interface AdapterWeight {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

/** An adapter without its base model. */
export interface Adapter {
  /** `language_model.model.layers.0.self_attn.q_proj.lora_A.weight` [r, in] and `….lora_B.weight` [out, r], in pairs */
  readonly parameters: ReadonlyMap<string, AdapterWeight>;
  readonly settings: AdapterSettings;
}

export interface AdapterSettings {
  readonly rank: number;
  readonly alpha: number;
  /** the scale is α/√r, not α/r */
  readonly rankStabilized: boolean;
  /** probability in training */
  readonly dropout: number;
  readonly targets: readonly AdapterTarget[];
}

/** Names of an adapter's files. */
export const adapterLayout = {
  config: 'adapter_config.json',
  weights: 'adapter_model.safetensors',
  olderWeights: 'adapter_model.bin',
} as const;

/** The factor of B·A. */
export function adapterScale({ rank, alpha, rankStabilized }: AdapterSettings): number {
  return alpha / (rankStabilized ? Math.sqrt(rank) : rank);
}

export function isAdapterFolder(folder: string): boolean {
  return isThere(join(folder, adapterLayout.config));
}

/** Reads an adapter. Errors: `missing`, `config`, `data` naming the unusable part. */
export function readAdapter(folder: string): Adapter {
  const place = join(folder, adapterLayout.config);
  const fields = fieldsOf(readJsonObject(place), place);
  const settings = readSettings(fields, place);
  const parameters = new Map<string, AdapterWeight>();
  for (const tensor of openWeights(folder).values()) {
    const name = parameterName(tensor);
    if (parameters.has(name))
      throw new EmacError(
        'data',
        `${tensor.path}: ${tensor.name} is a second tensor of one projection; save one adapter alone`,
      );
    parameters.set(name, { shape: tensor.shape, data: valuesOf(tensor) });
  }
  return adapterOf(parameters, settings, folder);
}

/** The same from tensors by name and settings. Errors: `data` if they are not an adapter of one rank. */
export function adapterOf(
  parameters: ReadonlyMap<string, AdapterWeight>,
  settings: Omit<AdapterSettings, 'targets'>,
  place: string,
): Adapter {
  const modules = moduleNames(parameters);
  const sorted = new Map<string, AdapterWeight>();
  for (const module of modules.sort(byLayer))
    for (const [part, axis] of [
      ['lora_A', 0],
      ['lora_B', 1],
    ] as const) {
      const name = `${module}.${part}.weight`;
      const weight = parameters.get(name);
      const rank = weight?.shape.length === 2 ? weight.shape[axis] : undefined;
      if (!weight || rank !== settings.rank)
        throw new EmacError(
          'data',
          `${place}: ${name} must have the rank ${settings.rank}, ${weight ? `is [${weight.shape.join(', ')}]` : 'does not exist'}; adapters of several ranks are not supported`,
        );
      sorted.set(name, weight);
    }
  if (sorted.size === 0) throw new EmacError('data', `${place}: the adapter has no tensors`);
  const targets = adapterTargets.filter((target) => modules.some((each) => each.endsWith(`.${target}`)));
  return { parameters: sorted, settings: { ...settings, targets } };
}

/** The adapted projections. */
function moduleNames(parameters: Adapter['parameters']): string[] {
  return [...new Set([...parameters.keys()].map((name) => name.replace(/\.lora_[AB]\.weight$/, '')))];
}

/** Layer by layer, in the order of the computation. */
function byLayer(one: string, other: string): number {
  const place = (module: string): number => {
    const [, layer, , target] = modulePattern.exec(module)!;
    return Number(layer) * adapterTargets.length + adapterTargets.indexOf(target as AdapterTarget);
  };
  return place(one) - place(other);
}

/** A projection's name: layer, block, target. */
const modulePattern =
  /^language_model\.model\.layers\.(\d+)\.(self_attn|mlp)\.(q_proj|k_proj|v_proj|o_proj|gate_proj|up_proj|down_proj)$/;

/** Settings that change the computation, or more than the projections. */
const refused = [
  'rank_pattern',
  'alpha_pattern',
  'modules_to_save',
  'target_parameters',
  'trainable_token_indices',
  'layer_replication',
  'alora_invocation_tokens',
  'arrow_config',
];

function readSettings(fields: Fields, place: string): Omit<AdapterSettings, 'targets'> {
  if (fields.text('peft_type', '') !== 'LORA') fields.fail('peft_type', 'must be LORA');
  for (const key of ['use_dora', 'fan_in_fan_out', 'lora_bias', 'use_qalora'])
    if (fields.boolean(key, false)) fields.fail(key, 'is not supported and must be false');
  if (fields.text('bias', 'none') !== 'none') fields.fail('bias', 'is not supported and must be none');
  const config = readJsonObject(place);
  for (const key of refused)
    if (Object.keys(config[key] ?? {}).length > 0) fields.fail(key, 'is not supported and must be empty');
  if (/^(pissa|corda|olora|loftq)/i.test(String(config['init_lora_weights'] ?? true)))
    fields.fail(
      'init_lora_weights',
      'changes the weights of the base, which is not supported; convert it with PEFT to an adapter of the unchanged base',
    );
  const dropout = fields.number('lora_dropout', 0);
  if (!(dropout >= 0 && dropout < 1)) fields.fail('lora_dropout', 'must be from 0 to below 1');
  return {
    rank: fields.positiveInteger('r', 8),
    alpha: fields.number('lora_alpha', 8),
    rankStabilized: fields.boolean('use_rslora', false),
    dropout,
  };
}

function openWeights(folder: string): TensorTable {
  const path = join(folder, adapterLayout.weights);
  if (isThere(path)) {
    const { tensors } = openSafetensors(path);
    return new Map([...tensors].map(([name, tensor]) => [name, { ...tensor, path }]));
  }
  const older = join(folder, adapterLayout.olderWeights);
  if (isThere(older)) return readTorchTensors(older, (name) => name);
  throw new EmacError(
    'missing',
    `${folder}: holds no ${adapterLayout.weights} or ${adapterLayout.olderWeights}; give an adapter as PEFT writes it`,
  );
}

/**
 * Our name for a stored tensor. PEFT's begins with `base_model.model.` and the path in the adapted model: a family's
 * (`Family.moduleOf`), its language model alone, or that without a head. PEFT before 0.3 adds the adapter's name.
 */
function parameterName({ name, path }: StoredTensor): string {
  const found =
    /^base_model\.model\.(?:model\.)?(?:language_model\.|text_model\.)?(?:model\.)?(layers\.\d+\..+)\.(lora_[AB])(?:\.\w+)?\.weight$/.exec(
      name,
    );
  const module = found && `language_model.model.${found[1]}`;
  if (module && modulePattern.test(module)) return `${module}.${found[2]}.weight`;
  throw new EmacError(
    'data',
    `${path}: adapts ${name}, which is not a projection of the language model; only ${adapterTargets.join(', ')} of its layers can be adapted`,
  );
}

/** An adapter's files by name, as PEFT writes them for a family's models; `base` is the recorded name of the base model. */
export function encodeAdapter(
  { parameters, settings }: Adapter,
  { base, family }: { readonly base: string | null; readonly family: Pick<Family, 'moduleOf'> },
): Map<string, Uint8Array> {
  const named = [...parameters].map(
    ([name, weight]) => [`base_model.model.${family.moduleOf(name)}`, weight] as const,
  );
  const config = {
    base_model_name_or_path: base,
    bias: 'none',
    fan_in_fan_out: false,
    inference_mode: true,
    init_lora_weights: true,
    lora_alpha: settings.alpha,
    lora_dropout: settings.dropout,
    modules_to_save: null,
    peft_type: 'LORA',
    r: settings.rank,
    // full paths: projections of vision encoders have similar names, and PEFT would adapt them too
    target_modules: moduleNames(parameters).map((module) => family.moduleOf(module)),
    task_type: null,
    use_dora: false,
    use_rslora: settings.rankStabilized,
  };
  return new Map([
    [adapterLayout.weights, encodeFloats(named, { format: 'pt' })],
    [adapterLayout.config, new TextEncoder().encode(`${JSON.stringify(config, null, 2)}\n`)],
  ]);
}

/** Errors: `data` if a tensor of the adapter does not fit the model. */
export function checkAdapter(
  { parameters }: Pick<Adapter, 'parameters'>,
  files: ModelFiles,
  place: string,
): void {
  for (const [name, { shape }] of parameters) {
    if (!isAdapterWeight(name)) continue;
    const weight = files.tensors.get(name.replace(/lora_[AB]\.weight$/, 'weight'));
    const axis = name.endsWith('lora_A.weight') ? 1 : 0;
    const width = weight && (weight.dtype === 'I8' ? weight.shape[1 - axis] : weight.shape[axis]);
    if (shape[axis] !== width)
      throw new EmacError(
        'data',
        `${place}: is an adapter of another base, ${name} is [${shape.join(', ')}] where ${files.folder} has ${width === undefined ? 'no such projection' : `a width of ${width}`}; give the model that it was trained with`,
      );
  }
}
