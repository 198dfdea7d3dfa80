/** Requires large models to be given a preset or a rate, since the learning rates of `tiny` are far too high for them. */
import { EmacError } from '@emac/core';
import { modelFilesOf } from '@emac/opening';

/** Largest number of parameters trained with the default preset. */
const most = 100_000_000;

export interface AskedPreset {
  readonly policy: string;
  /** the given preset and learning rate */
  readonly preset: string | undefined;
  readonly learningRate: number | undefined;
  /** the method's presets for larger models, in words */
  readonly presets: string;
}

/** Of a policy that is to be trained. Errors: `usage` for a larger model with neither; those of opening its files. */
export function requireNeededPreset(asked: AskedPreset): void {
  const files = isChosen(asked) ? null : modelFilesOf(asked.policy);
  if (files) requirePresetOf(files, asked);
}

/** Errors: `usage`. */
export function requirePresetOf(
  { tensors }: { readonly tensors: ReadonlyMap<string, { readonly shape: readonly number[] }> },
  asked: AskedPreset,
): void {
  if (isChosen(asked)) return;
  const sizes = [...tensors.values()].map(({ shape }) => shape.reduce((product, each) => product * each, 1));
  const parameters = sizes.reduce((sum, each) => sum + each, 0);
  if (parameters <= most) return;
  const { policy, presets } = asked;
  throw new EmacError(
    'usage',
    `--preset: is required for a model above ${most / 1e6} million parameters, ${policy} has ${Math.round(parameters / 1e6)}; give ${presets}, which are for such models, or a rate with --lr (tiny, the default, is for models of about one million)`,
  );
}

function isChosen({ preset, learningRate }: AskedPreset): boolean {
  return preset !== undefined || learningRate !== undefined;
}
