/**
 * vla-tiny untouched, fine-tuned on a controller's demonstrations, and after PPO, on initial states that are held out, by the commands that anyone
 * gives; what PPO reaches without warm-up, without curriculum and with other formulas; and with blank frames: a table, and a chart. What is done
 * is kept in OUT and not done again; a training that was stopped goes on.
 *
 *   node tools/dist/vla-tiny/demonstrate.js OUT [--seeds 0,1,2] [--ablations 0] [--jobs 1] [--policy vla-tiny] [--table] [--chart FILE]
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createFolder } from '@emac/files';
import { learningCurves } from '../experiments/learning-curves.ts';
import { collectedIn, each, evaluatedIn, runsIn, trainedRun } from '../tiny-model/emac-commands.ts';
import { collection, evaluation, fineTuning, learning, variants } from './demonstrated-training.ts';
import { successTable, type Episode } from './success-table.ts';

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
const [seeds, ablated] = [values.seeds, values.ablations].map((list) => list.split(',').filter(Boolean));
const policy = ['--policy', values.policy];
const [full, ...others] = Object.keys(variants);

const evaluated = (folder: string, args: readonly string[]) =>
  evaluatedIn(folder, ['eval', ...evaluation, ...args]);

async function demonstrate(seed: string): Promise<void> {
  const folder = join(out!, seed);
  createFolder(folder);
  const from = ['--seed', seed];
  // the same model whatever the seed
  if (seed === seeds![0])
    await evaluated(join(folder, 'untouched'), ['--ckpt', 'untouched', ...policy, ...from]);
  await collectedIn(join(folder, 'data'), ['collect', ...collection, ...from]);
  const data = ['--data', join(folder, 'data')];
  const start = await trainedRun(join(folder, 'sft-run'), [
    'sft',
    ...data,
    ...policy,
    ...fineTuning,
    ...from,
  ]);
  await evaluated(join(folder, 'fine-tuned'), ['--ckpt', start, ...from]);
  const run = await learned({ seed, start, variant: full! });
  await evaluated(join(folder, 'blank'), ['--ckpt', run, '--observe', 'text', ...from]);
  if (!ablated!.includes(seed)) return;
  for (const variant of others) await learned({ seed, start, variant });
}

async function learned({
  seed,
  start,
  variant,
}: {
  readonly seed: string;
  readonly start: string;
  readonly variant: string;
}): Promise<string> {
  const place = join(out!, seed, variant);
  const args = [...learning, ...variants[variant]!, ...policy, '--init', start, '--seed', seed];
  const run = await trainedRun(`${place} run`, ['ppo', ...args]);
  await evaluated(place, ['--ckpt', run, '--seed', seed]);
  return run;
}

/** Each seed's episodes, as far as they are there. */
function results(stage: string): readonly (readonly Episode[])[] {
  return seeds!.flatMap((seed) => {
    const file = join(out!, seed, stage, 'eval.json');
    return existsSync(file) ? [(JSON.parse(readFileSync(file, 'utf8')) as { games: Episode[] }).games] : [];
  });
}

if (!values.table) await each(seeds!, { jobs: Number(values.jobs), act: demonstrate });
const names = ['untouched', 'fine-tuned', full!, 'blank', ...others];
process.stdout.write(successTable(names.map((name) => ({ name, seeds: results(name) }))));
if (values.chart !== undefined) {
  const runsOf = (name: string) => seeds!.flatMap((seed) => runsIn(join(out!, seed, `${name} run`)));
  const valueOf = ({ success }: { readonly success: number | null }) => success;
  const curves = Object.keys(variants).map((name) => ({ name, runs: runsOf(name), valueOf }));
  const title = 'Success of the episodes of training, by updates';
  writeFileSync(
    values.chart,
    learningCurves(
      title,
      curves.filter(({ runs }) => runs.length > 0),
      8,
    ),
  );
}
