/**
 * Measures emma-tiny's acting speed with one game and with several concurrent ones: steps per second, equality of
 * commands, and where a step's time goes. Both alternate in one process; medians over the turns.
 *
 *   node tools/dist/bench-rollout/main.js [--games 16] [--max-steps 24] [--beams 5] [--parallel 8] [--repetitions 5] [--json]
 */
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { decisionParts, eyeParts, median } from './replay.ts';
import { played, unseenGames, type Played } from './play.ts';
import { table, type Measured } from './table.ts';

const { values } = parseArgs({
  options: {
    games: { type: 'string', default: '16' },
    'max-steps': { type: 'string', default: '24' },
    beams: { type: 'string', default: '5' },
    parallel: { type: 'string', default: '8' },
    repetitions: { type: 'string', default: '5' },
    json: { type: 'boolean', default: false },
  },
});
const games = unseenGames(Number(values.games));
const beams = Number(values.beams);
const settings = { games, maxSteps: Number(values['max-steps']), beams };
const found = new Map<number, Played[]>([1, Number(values.parallel)].map((parallel) => [parallel, []]));
for (let turn = 0; turn < Number(values.repetitions); turn++)
  for (const [parallel, plays] of found) plays.push(await played({ ...settings, parallel }));

const all = [...found.values()].flat();
const measured: Measured[] = [];
for (const [parallel, plays] of found) {
  const middle = median(plays.map(({ ms }) => ms));
  const play = plays.find(({ ms }) => ms === middle)!;
  const decision = await decisionParts(play.spent.batches, beams);
  measured.push({ parallel, ms: plays.map(({ ms }) => ms), play, decision });
}
const isEqual = all.every(({ commands }) => isDeepStrictEqual(commands, all[0]!.commands));
const eye = await eyeParts(games);
process.stdout.write(
  values.json
    ? `${JSON.stringify({ isEqual, eye, measured: measured.map(withoutBatches) }, null, 1)}\n`
    : `${table(measured, { isEqual, eye })}\n`,
);
process.exitCode = isEqual ? 0 : 2;

function withoutBatches({ play: { ms, steps, spent }, ...rest }: Measured) {
  const { phases, busy, work, pictures } = spent;
  return { ...rest, play: { ms, steps, phases, busy, work, pictures } };
}
