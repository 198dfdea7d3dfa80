/**
 * Trains a speaker, a listener, and both alternately, from lewis-tiny with the public commands, with controls: a table.
 * Finished work in OUT is not repeated; a stopped training resumes.
 *
 *   node tools/dist/lewis-tiny/demonstrate.js OUT [--seeds 0,1,2] [--jobs 1] [--games 450] [--stranger MODEL] [--table] [--chart FILE]
 *
 * MODEL is another model of lewis-tiny's kind (make.js pretrain --seed): speakers are also scored by this unfamiliar
 * listener.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createFolder } from '@emac/files';
import { learningCurves } from '../experiments/learning-curves.ts';
import { markdown } from '../experiments/results.ts';
import {
  each,
  evaluatedIn,
  evaluationIn,
  meanAndEach,
  runsIn,
  trainedRun,
  trainedRuns,
} from '../tiny-model/demonstration.ts';

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

/** Speakers with unfamiliar listeners: that of another alternating run, and another model. */
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

interface Understood {
  readonly success: number | null;
  readonly identification: {
    readonly metrics: { readonly format: number | null; readonly length: number | null };
  };
  readonly recognition?: {
    readonly metrics: {
      readonly positive_accuracy: number | null;
      readonly negative_accuracy: number | null;
    };
  };
}

/** Columns of the table. */
const measures: Readonly<Record<string, (of: Understood) => number | null | undefined>> = {
  accuracy: ({ success }) => success,
  form: ({ identification }) => identification.metrics.format,
  'length reward': ({ identification }) => identification.metrics.length,
  'recognition: same': ({ recognition }) => recognition?.metrics.positive_accuracy,
  'recognition: other': ({ recognition }) => recognition?.metrics.negative_accuracy,
};

/** Mean and values of each measure over the available seeds; `of` names a seed's evaluation folder. */
function row(name: string, of: (folder: string) => string | undefined, file?: string): readonly string[] {
  const results = seeds.flatMap((seed) => {
    const place = of(join(out!, seed));
    return (place === undefined ? null : evaluationIn<Understood>(place, file)) ?? [];
  });
  return [
    name,
    ...Object.values(measures).map((measure) =>
      meanAndEach(results.map(measure).filter((value) => value != null)),
    ),
  ];
}

const run = (kind: string, place: number) => (folder: string) => runsIn(join(folder, kind)).at(place);
const evaluation = (name: string) => (folder: string) => join(folder, name);

if (!values.table) {
  await each(seeds, { jobs: Number(values.jobs), act: demonstrate });
  for (const [place, seed] of seeds.entries()) await strangers(seed, seeds[(place + 1) % seeds.length]!);
}
if (values.chart !== undefined) {
  interface Rewards {
    readonly reward_accuracy?: number;
    readonly reward_consistency?: number;
  }
  const curves = ['speaker', 'listener'].map((name) => ({
    name,
    runs: seeds.flatMap((seed) => runsIn(join(out, seed, name)).slice(0, 1)),
    // share of correct sampled answers in training, of a speaker or a listener
    valueOf: (line: Rewards) => (line.reward_accuracy ?? line.reward_consistency)!,
  }));
  const title = 'Answers that were right, by updates (chance: speaker 1/3, listener 1/2)';
  writeFileSync(values.chart, learningCurves(title, curves, 10));
}
const before = 'eval-before.json';
const table = [
  ['', ...Object.keys(measures)],
  row('speaker, before', run('speaker', 0), before),
  row('speaker, after', run('speaker', 0)),
  row('listener, before', run('listener', 0), before),
  row('listener, after', run('listener', 0)),
  row('both in turns, before', run('turns', 0), before),
  row('both in turns, after', run('turns', -1)),
  row('with the listener of another run', evaluation('other listener')),
  row('with another model', evaluation('other model')),
  row("another game's description", evaluation('another description')),
  row('blank pictures', evaluation('blank')),
];
process.stdout.write(markdown(table) + '\n');
