/** Gradients in the shared folder, as safetensors. Numbers keep every bit, infinities and NaN included. */
import { EmacError, type ActorCriticGradient, type Gradient, type ParameterSet } from '@emac/core';
import { encodeFloats, openSafetensors, readFloat32, type SafetensorsFile } from '@emac/files';
import type { SharedFolder } from '@emac/queue';
import { exactJson, fromJson, patiently } from './carried.ts';

/** Of a `Trainable`, or of a policy with its critic. */
export type AnyGradient = Gradient | ActorCriticGradient;

/** Stores a gradient; returns its hash. Errors: those of the folder. */
export function storeGradient(folder: SharedFolder, { gradients, ...rest }: AnyGradient): string {
  const tensors = [...gradients].map(([name, data]) => [name, { shape: [data.length], data }] as const);
  // a file has its own order, but sums over parameters use theirs
  const names = JSON.stringify([...gradients.keys()]);
  return folder.put(encodeFloats(tensors, { names, rest: exactJson(folder, rest) }));
}

/** What a gradient must be of. */
export interface ExpectedGradient {
  /** of the version that it was computed at */
  readonly parameters: ParameterSet;
  /** of the trained ones; null: some of them */
  readonly names: readonly string[] | null;
  /** number of rows */
  readonly rows: number;
  readonly hasCritic: boolean;
}

/** numbers of a row besides its gradient, in bytes: log-probabilities and values of its tokens */
const largestRow = 2 ** 24;

/** Reads a gradient by its hash. Errors: `missing`; `data` for anything but a gradient of these parameters and rows. */
export async function readGradient<Found extends AnyGradient>(
  folder: SharedFolder,
  hash: string,
  expected: ExpectedGradient,
): Promise<Found> {
  const numbers = [...expected.parameters.values()].reduce((sum, { data }) => sum + data.length, 0);
  const largest = 4 * numbers + (expected.rows + 1) * largestRow;
  const file = openSafetensors(await patiently(folder, () => folder.file(hash, largest)));
  const { names: told, rest } = file.metadata;
  const names = JSON.parse(told ?? '[]') as string[];
  requireOf(file, names, expected);
  const found = await fromJson<Found>(folder, rest ?? 'null');
  if (!isRest(found, expected)) throw refused('losses and log-probabilities of its rows');
  return { ...found, gradients: new Map(names.map((name) => [name, readFloat32(file, name)])) };
}

/** Errors: `data` for other parameters, or other numbers of them. */
function requireOf(
  { tensors }: SafetensorsFile,
  names: readonly string[],
  { parameters, names: wanted }: ExpectedGradient,
): void {
  const trained = new Set(wanted ?? names);
  if (new Set(names).size !== trained.size || names.some((name) => !trained.has(name)))
    throw refused(`the ${trained.size} trained parameters`);
  for (const name of names) {
    const [has, needs] = [tensors.get(name)?.shape, parameters.get(name)?.data.length];
    if (needs === undefined || has?.length !== 1 || has[0] !== needs)
      throw refused(`${needs ?? 'no'} numbers of ${name}, got ${has?.join(' × ') ?? 'none'}`);
  }
}

function isRest(found: unknown, { rows, hasCritic }: ExpectedGradient): boolean {
  const { loss, policyLoss, valueLoss, logProbabilities, values } = (found ?? {}) as Partial<
    Gradient & ActorCriticGradient
  >;
  const isRow = (row: unknown): boolean =>
    Array.isArray(row) && row.every((each) => typeof each === 'number');
  if (!Array.isArray(logProbabilities) || !logProbabilities.every(isRow)) return false;
  if (!hasCritic) return typeof loss === 'number' && logProbabilities.length === rows;
  const isOfBoth = typeof policyLoss === 'number' && typeof valueLoss === 'number';
  return isOfBoth && values instanceof Float32Array && logProbabilities.length <= rows;
}

function refused(what: string): EmacError {
  return new EmacError('data', `gradient: must have ${what}`);
}
