/** Requires an explicit preset for large models, since the learning rates of `tiny` are far too high for them. */
import { EmacError } from '@emac/core';

/** Largest number of parameters trained with the default preset. */
const most = 100_000_000;

/** `preset`: the given one. Errors: `usage` for a larger model without one. */
export function requirePresetOf(
  { tensors }: { readonly tensors: ReadonlyMap<string, { readonly shape: readonly number[] }> },
  { policy, preset }: { readonly policy: string; readonly preset: string | undefined },
): void {
  if (preset !== undefined) return;
  const sizes = [...tensors.values()].map(({ shape }) => shape.reduce((product, each) => product * each, 1));
  const parameters = sizes.reduce((sum, each) => sum + each, 0);
  if (parameters <= most) return;
  throw new EmacError(
    'usage',
    `--preset: is required for a model above ${most / 1e6} million parameters, ${policy} has ${Math.round(parameters / 1e6)}; give nl, bj, ezp, p24, minigrid or vlarl, which are for such models, or tiny, which is for models of about one million`,
  );
}
