/**
 * Episodes of a dataset in RLDS form (Ramos et al., "RLDS: an Ecosystem to Generate, Share and Use Datasets in Reinforcement Learning",
 * 2021): a dataset of `steps` with observation, action, reward, discount and the three flags. `reward` and `discount` result from the step's
 * action; `is_terminal` is false on the last step of a truncated episode.
 */
import { EmacError, invariant } from '@emac/core';
import type { Dataset, PlacedExample } from '../dataset/open-dataset.ts';
import { isTensor, type Feature, type Value, type ValueDict } from '../features/feature.ts';

/** Paths within a step; values of several paths are joined. */
export interface StepLayout {
  /** of a picture; null for none */
  readonly image: string | null;
  /** of numbers; null for none */
  readonly state: string | readonly string[] | null;
  /** of a text; null for none */
  readonly instruction: string | null;
  readonly action: string | readonly string[];
}

/** As in OpenVLA's copies of LIBERO. */
export const usualLayout: StepLayout = {
  image: 'observation/image',
  state: 'observation/state',
  instruction: 'language_instruction',
  action: 'action',
};

export interface RldsStep {
  /** from 0 */
  readonly index: number;
  /** of a PNG or JPEG file */
  readonly image: Uint8Array | null;
  readonly state: Float32Array | null;
  readonly instruction: string | null;
  readonly action: Float32Array;
  /** null if the dataset has none */
  readonly reward: number | null;
  /** null if the dataset has none */
  readonly discount: number | null;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly isTerminal: boolean;
  /** all values of the step, by their names in the dataset */
  readonly values: ValueDict;
}

export interface RldsEpisode {
  /** its index in the split */
  readonly number: number;
  /** `episode_metadata.file_path`: the source of the episode; null if unknown */
  readonly filePath: string | null;
  readonly steps: readonly RldsStep[];
  /** values of the episode outside its steps, by their names in the dataset */
  readonly values: ValueDict;
}

/**
 * The episodes of a split in file order, one in memory at a time; pictures are views of the episode's record. Errors: at once
 * `usage` for unknown paths and `data` without steps; later those of `Dataset.examples`.
 */
export function episodes(
  dataset: Dataset,
  split: string,
  layout: StepLayout = usualLayout,
): AsyncGenerator<RldsEpisode, void, undefined> {
  const step = stepFeature(dataset);
  const { image, state, instruction, action } = layout;
  const wanted = [image, state, instruction, action, 'is_first', 'is_last', 'is_terminal'].flat();
  for (const path of wanted) if (path !== null) requirePath(step, path, dataset.folder);
  return episodesOf(dataset.examples(split), layout);
}

function stepFeature({ features, folder }: Dataset): Feature {
  const steps = features.kind === 'dict' ? features.features['steps'] : undefined;
  if (steps?.kind === 'dataset') return steps.feature;
  throw new EmacError(
    'data',
    `${folder}: features.json must have a dataset of steps; this dataset is not in RLDS form`,
  );
}

function requirePath(step: Feature, path: string, folder: string): void {
  let at: Feature | undefined = step;
  let names: readonly string[] = [];
  for (const name of path.split('/')) {
    names = at?.kind === 'dict' ? Object.keys(at.features) : [];
    at = at?.kind === 'dict' ? at.features[name] : undefined;
    if (!at)
      throw new EmacError(
        'usage',
        `${folder}: steps have no ${path}, only ${names.join(', ') || 'parts without parts'}; give another in the layout`,
      );
  }
}

async function* episodesOf(
  examples: AsyncIterable<PlacedExample>,
  layout: StepLayout,
): AsyncGenerator<RldsEpisode, void, undefined> {
  let number = 0;
  for await (const { value, place } of examples) {
    const values = value as ValueDict;
    const metadata = values['episode_metadata'] as ValueDict | undefined;
    const path = metadata?.['file_path'];
    const steps = (values['steps'] as readonly ValueDict[]).map((step, index) =>
      stepOf(step, { index, layout, place }),
    );
    yield { number: number++, filePath: typeof path === 'string' ? path : null, steps, values };
  }
}

interface StepPlace {
  readonly index: number;
  readonly layout: StepLayout;
  readonly place: string;
}

function stepOf(values: ValueDict, { index, layout, place }: StepPlace): RldsStep {
  const at = (path: string) => `${place}, step ${index}: ${path}`;
  const { image, state, instruction, action } = layout;
  const numbers = (paths: string | readonly string[]) => numbersAt(values, [paths].flat(), at);
  const [reward, discount] = ['reward', 'discount'].map((name) => values[name]);
  return {
    index,
    image: image === null ? null : bytesAt(values, image, at),
    state: state === null ? null : numbers(state),
    instruction: instruction === null ? null : textAt(values, instruction, at),
    action: numbers(action),
    reward: reward === undefined ? null : numberOf(reward, at('reward')),
    discount: discount === undefined ? null : numberOf(discount, at('discount')),
    isFirst: flagAt(values, 'is_first', at),
    isLast: flagAt(values, 'is_last', at),
    isTerminal: flagAt(values, 'is_terminal', at),
    values,
  };
}

type Place = (path: string) => string;

function valueAt(values: ValueDict, path: string): Value {
  const value = path.split('/').reduce<Value | undefined>((at, name) => (at as ValueDict)[name], values);
  invariant(value !== undefined, `${path}: was there in the features`);
  return value;
}

function bytesAt(values: ValueDict, path: string, at: Place): Uint8Array {
  const value = valueAt(values, path);
  if (value instanceof Uint8Array) return value;
  throw new EmacError('data', `${at(path)}: must be a picture; name another in the layout`);
}

function textAt(values: ValueDict, path: string, at: Place): string {
  const value = valueAt(values, path);
  if (typeof value === 'string') return value;
  throw new EmacError('data', `${at(path)}: must be a text; name another in the layout`);
}

function flagAt(values: ValueDict, path: string, at: Place): boolean {
  const value = valueAt(values, path);
  if (typeof value === 'boolean') return value;
  throw new EmacError('data', `${at(path)}: must be true or false, it is ${String(value)}`);
}

function numberOf(value: Value, place: string): number {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  throw new EmacError('data', `${place}: must be a number`);
}

function numbersAt(values: ValueDict, paths: readonly string[], at: Place): Float32Array {
  return Float32Array.from(
    paths.flatMap((path) => {
      const value = valueAt(values, path);
      const data = isTensor(value) ? value.data : [value];
      return Array.from(data as ArrayLike<Value>, (each) => numberOf(each, at(path)));
    }),
  );
}
