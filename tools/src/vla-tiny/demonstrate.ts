/**
 * vla-tiny untrained, fine-tuned on a careless controller's demonstrations, and after PPO, on held-out initial states,
 * with the public commands: a table and a chart. Ablations of PPO: no warm-up, no curriculum, other formulas, another
 * temperature; also blank frames. Finished work in OUT is not repeated; a stopped training resumes.
 *
 *   node tools/dist/vla-tiny/demonstrate.js OUT [--seeds 0,1,2] [--ablations 0] [--jobs 1] [--policy vla-tiny] [--table] [--chart FILE]
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createFolder } from '@emac/files';
import { wilsonInterval } from '@emac/rollout';
import { successChart, type Point } from '../experiments/chart.ts';
import { markdown } from '../experiments/results.ts';
import {
  collectedIn,
  each,
  episodesIn,
  evaluatedIn,
  runsIn,
  shareWon,
  trainedRun,
  type Episode,
} from '../tiny-model/demonstration.ts';
import {
  ablations,
  collection,
  evaluations,
  fineTuning,
  learning,
  updatesApart,
  wholes,
  type Answering,
} from './demonstrated-training.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: '0,1,2' },
    ablations: { type: 'string', default: '0' },
    jobs: { type: 'string', default: '1' },
    policy: { type: 'string', default: 'vla-tiny' },
    table: { type: 'boolean', default: false },
    chart: { type: 'string' },
  },
});
const [out] = positionals;
if (!out) throw new Error('usage: demonstrate OUT [--seeds 0,1,2] [--ablations 0] [--jobs N] [--table]');
const [seeds, ablated] = [values.seeds, values.ablations].map((list) => list.split(',').filter(Boolean)) as [
  string[],
  string[],
];
const policy = ['--policy', values.policy];
const variants = { ...wholes, ...ablations };
const answerings = Object.keys(evaluations) as Answering[];

async function evaluated(stage: string, args: readonly string[]): Promise<void> {
  for (const answering of answerings)
    await evaluatedIn(`${stage}, ${answering}`, ['eval', ...evaluations[answering], ...args]);
}

/** The model is the same for every seed. */
function untouched(seed: string): Promise<void> {
  return evaluated(join(out!, seed, 'untouched'), ['--ckpt', 'untouched', ...policy, '--seed', seed]);
}

async function fineTuned(seed: string): Promise<void> {
  const folder = join(out!, seed);
  createFolder(folder);
  if (seed === seeds[0]) await untouched(seed);
  const from = ['--seed', seed];
  await collectedIn(join(folder, 'data'), ['collect', ...collection, ...from]);
  const data = ['--data', join(folder, 'data')];
  const run = await trainedRun(join(folder, 'sft run'), ['sft', ...data, ...policy, ...fineTuning, ...from]);
  await evaluated(join(folder, 'fine-tuned'), ['--ckpt', run, ...from]);
}

interface Learning {
  readonly seed: string;
  readonly variant: string;
}

async function learned({ seed, variant }: Learning): Promise<void> {
  const stage = join(out!, seed, variant);
  const from = ['--seed', seed];
  const start = ['--init', runsIn(join(out!, seed, 'sft run'))[0]!];
  const args = [...learning, ...variants[variant]!, ...policy, ...start, ...from];
  const run = await trainedRun(`${stage} run`, ['ppo', ...args]);
  await evaluated(stage, ['--ckpt', run, ...from]);
  if (!(variant in wholes)) return;
  await evaluated(`${stage}, blank`, ['--ckpt', run, '--observe', 'text', ...from]);
  for (const [place, checkpoint] of checkpointsOf(run).entries()) {
    const asked = ['eval', ...evaluations.greedy, '--ckpt', checkpoint, ...from];
    await evaluatedIn(pointOf({ seed, variant }, place), asked);
  }
}

/** Checkpoints at regular distances, from the first one on. */
function checkpointsOf(run: string): readonly string[] {
  const folder = join(run, 'checkpoints');
  const names = readdirSync(folder).filter((name) => /^\d+$/.test(name));
  return names.sort().map((name) => join(folder, name));
}

function pointOf({ seed, variant }: Learning, place: number): string {
  return join(out!, seed, `${variant} ${place * updatesApart}`);
}

/** Share of all seeds' episodes that succeeded, its 95 % interval (Wilson), and each seed's share, as far as they are there. */
function cellsOf(stage: string, answering: Answering): readonly string[] {
  const found = episodesIn(seeds.map((seed) => join(out!, seed, `${stage}, ${answering}`)));
  const episodes: readonly Episode[] = found.flat();
  if (episodes.length === 0) return ['', '', ''];
  const won = episodes.filter((episode) => episode.won).length;
  return [
    shareWon(episodes).toFixed(3),
    wilsonInterval(won, episodes.length)!
      .map((bound) => bound.toFixed(2))
      .join('–'),
    found.map((each) => shareWon(each).toFixed(2)).join(', '),
  ];
}

/** Held-out success by updates, as far as all seeds have it. */
function curveOf(variant: string): Point[] {
  const points: Point[] = [];
  for (let place = 0; ; place++) {
    const shares = episodesIn(seeds.map((seed) => pointOf({ seed, variant }, place))).map(shareWon);
    if (shares.length < seeds.length) return points;
    const value = shares.reduce((sum, share) => sum + share, 0) / shares.length;
    const [low, high] = [Math.min(...shares), Math.max(...shares)];
    points.push({ label: String(place * updatesApart), value, low, high });
  }
}

if (!values.table) {
  const jobs = Number(values.jobs);
  await each(seeds, { jobs, act: fineTuned });
  const all = Object.keys(wholes).flatMap((variant) => seeds.map((seed) => ({ seed, variant })));
  const parts = ablated.flatMap((seed) => Object.keys(ablations).map((variant) => ({ seed, variant })));
  await each([...all, ...parts], { jobs, act: learned });
}
const blanks = Object.keys(wholes).map((variant) => `${variant}, blank`);
const names = ['untouched', 'fine-tuned', ...Object.keys(wholes), ...blanks, ...Object.keys(ablations)];
const rows = names.map((name) => [name, ...answerings.flatMap((answering) => cellsOf(name, answering))]);
const head = ['', ...answerings.flatMap((name) => [name, '95 %', 'by seed'])];
process.stdout.write(markdown([head, ...rows]) + '\n');
if (values.chart !== undefined) {
  const series = Object.keys(wholes).map((variant) => ({ name: variant, points: curveOf(variant) }));
  writeFileSync(values.chart, successChart('Success on held-out initial states, by updates', series));
}
