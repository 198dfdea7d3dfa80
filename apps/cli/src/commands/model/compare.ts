/** `emac model check --compare`: relative errors of every stage and equality of generated tokens, against a tolerance. */
import { compareFolder, withinTolerance } from '@emac/backbone';
import { exitCodes } from '@emac/core';
import type { Provider } from '@emac/graph';
import { say, type Io } from '../../terminal/io.ts';
import { table } from '../../terminal/table.ts';

/** Runs the comparison; returns 0 within tolerance, else 2. */
export async function compareModel(
  folder: string,
  { json, provider }: { readonly json: boolean; readonly provider: Provider },
  io: Io,
): Promise<number> {
  const comparison = await compareFolder(folder, { provider });
  const isWithin = withinTolerance(comparison);
  if (json) say(io.stdout, JSON.stringify(comparison));
  else {
    const stages = Object.entries(comparison.stages).map(([stage, error]) => [stage, error.toExponential(1)]);
    const generated = Object.entries(comparison.generated).map(([key, equal]) => [
      key,
      equal ? 'equal' : 'different',
    ]);
    say(io.stdout, table(['stage', 'relative error'], [...stages, ...generated]));
  }
  say(io.stderr, isWithin ? `within tolerance (${provider})` : `out of tolerance (${provider})`);
  return isWithin ? 0 : exitCodes['check-failed'];
}
