/** `emac backbone compare`: relative errors of every stage and equality of generated tokens, against a tolerance. */
import { compareFolder, withinTolerance } from '@emac/backbone';
import { exitCodes } from '@emac/core';
import { choice, toggle, type Values } from '../../options/option.ts';
import { say, type Io } from '../../terminal/io.ts';
import { table } from '../../terminal/table.ts';
import { command } from '../../calling/command.ts';

const options = {
  provider: choice(['cpu', 'webgpu', 'cuda'], {
    help: 'ONNX Runtime provider of the frozen networks',
    default: 'cpu',
  }),
  json: toggle('print the result as JSON on standard output'),
};

export const backboneCompareCommand = command({
  options,
  run: (values, [folder], io) => backboneCompare(folder!, values, io),
});

/** Runs the comparison; returns 0 within tolerance, else 2. */
async function backboneCompare(
  folder: string,
  { json, provider }: Values<typeof options>,
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
