/**
 * A speaker, a listener, and both in turns, trained from lewis-tiny by the commands that anyone gives, with controls: a table. What is done is kept in
 * OUT and not done again; a training that was stopped goes on.
 *
 *   node tools/dist/lewis-tiny/demonstrate.js OUT [--seeds 0,1,2] [--jobs 1] [--games 450] [--stranger MODEL] [--table] [--chart FILE]
 *
 * MODEL is another model of lewis-tiny's kind (pretrain.js --seed): speakers are also heard by it, whom they never met.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createFolder } from '@emac/files';
import { each, evaluatedIn, runsIn, trainedRun, trainedRuns } from '../tiny-model/emac-commands.ts';
import { learningChart } from './learning-chart.ts';
import { understandingTable, type Understood } from './understanding-table.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: '0,1,2' },
    jobs: { type: 'string', default: '1' },
    games: { type: 'string', default: '450' },
    stranger: { type: 'string' },
    table: { type: 'boolean', default: false },
    chart: { type: 'string' },
  },
});
const [out] = positionals;
if (!out) throw new Error('usage: demonstrate OUT [--seeds 0,1,2] [--jobs N] [--games N] [--table]');
const seeds = values.seeds.split(',');

const evaluated = (folder: string, args: readonly string[]) =>
  evaluatedIn(folder, ['lewis', 'eval', ...args]);

async function demonstrate(seed: string): Promise<void> {
  const folder = join(out!, seed);
  createFolder(folder);
  const common = ['--seed', seed, '--eval-games', values.games];
  const speaker = await trainedRun(join(folder, 'speaker'), ['grpo', '--role', 'speaker', ...common]);
  const learning = ['grpo', '--role', 'listener', '--speaker', speaker, ...common];
  await trainedRun(join(folder, 'listener'), learning);
  const inTurns = ['grpo', '--role', 'both', '--turns', '4', ...common];
  await trainedRuns(join(folder, 'turns'), { args: inTurns, count: 4 });
  const games = ['--num-games', values.games];
  await evaluated(join(folder, 'another description'), [
    ...games,
    '--speaker',
    speaker,
    '--describes',
    'next',
  ]);
  await evaluated(join(folder, 'blank'), [...games, '--speaker', speaker, '--shows', 'blank']);
}

/** Speakers with whom they never met: the listener of another chain of turns, and another model. */
async function strangers(seed: string, other: string): Promise<void> {
  const folder = join(out!, seed);
  const [speaker, listener] = [seed, other].map((chain) => runsIn(join(out!, chain, 'turns')));
  const met = (who: string) => ['--num-games', values.games, '--speaker', who, '--listener'];
  if (other !== seed)
    await evaluated(join(folder, 'other listener'), [...met(speaker!.at(-1)!), listener!.at(-2)!]);
  if (values.stranger === undefined) return;
  const alone = runsIn(join(folder, 'speaker'))[0]!;
  await evaluated(join(folder, 'other model'), [...met(alone), values.stranger]);
}

function evaluationAt(path: string): Understood | null {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Understood) : null;
}

/** Of each seed, as far as they are there. */
function results(of: (folder: string) => string | undefined): readonly Understood[] {
  return seeds.flatMap((seed) => {
    const place = of(join(out!, seed));
    const found = place === undefined ? null : evaluationAt(place);
    return found ? [found] : [];
  });
}

const ofRun =
  (kind: string, place: number, file = 'eval.json') =>
  (folder: string) => {
    const path = runsIn(join(folder, kind)).at(place);
    return path === undefined ? undefined : join(path, file);
  };

if (!values.table) {
  await each(seeds, { jobs: Number(values.jobs), act: demonstrate });
  for (const [place, seed] of seeds.entries()) await strangers(seed, seeds[(place + 1) % seeds.length]!);
}
if (values.chart !== undefined) {
  const runs = (kind: string) => seeds.flatMap((seed) => runsIn(join(out!, seed, kind)).slice(0, 1));
  const roles = ['speaker', 'listener'].map((name) => ({ name, runs: runs(name) }));
  writeFileSync(values.chart, learningChart(roles));
}
process.stdout.write(
  understandingTable([
    { name: 'speaker, before', results: results(ofRun('speaker', 0, 'eval-before.json')) },
    { name: 'speaker, after', results: results(ofRun('speaker', 0)) },
    { name: 'listener, before', results: results(ofRun('listener', 0, 'eval-before.json')) },
    { name: 'listener, after', results: results(ofRun('listener', 0)) },
    { name: 'both in turns, before', results: results(ofRun('turns', 0, 'eval-before.json')) },
    { name: 'both in turns, after', results: results(ofRun('turns', -1)) },
    {
      name: 'with the listener of other turns',
      results: results((folder) => join(folder, 'other listener', 'eval.json')),
    },
    { name: 'with another model', results: results((folder) => join(folder, 'other model', 'eval.json')) },
    {
      name: "another game's description",
      results: results((folder) => join(folder, 'another description', 'eval.json')),
    },
    { name: 'blank pictures', results: results((folder) => join(folder, 'blank', 'eval.json')) },
  ]),
);
