/**
 * rl-tiny untouched, fine-tuned on collected play, and after PPO, on held-out seeds and with blank frames, by the commands that anyone
 * gives: a table. What is done is kept in OUT and not done again; a training that was stopped goes on.
 *
 *   node tools/dist/rl-tiny/demonstrate.js OUT [--env ID]… [--seeds 0,1,2] [--jobs 1] [--policy rl-tiny] [--table]
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createFolder } from '@emac/files';
import { collectedIn, each, evaluatedIn, trainedRun } from '../tiny-model/emac-commands.ts';
import { demonstratedGames, type DemonstratedGame } from './demonstrated-games.ts';
import { demonstrationTable, stages, type Stage } from './demonstration-table.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    env: { type: 'string', multiple: true, default: demonstratedGames.map(({ id }) => id) },
    seeds: { type: 'string', default: '0,1,2' },
    jobs: { type: 'string', default: '1' },
    policy: { type: 'string', default: 'rl-tiny' },
    table: { type: 'boolean', default: false },
  },
});
const [out] = positionals;
if (!out)
  throw new Error('usage: demonstrate OUT [--env ID]… [--seeds 0,1,2] [--jobs N] [--policy MODEL] [--table]');
const seeds = values.seeds.split(',').map(Number);
const games = demonstratedGames.filter(({ id }) => values.env.includes(id));

const evaluated = (stage: Stage, folder: string, args: readonly string[]) =>
  evaluatedIn(join(folder, stage), ['eval', ...args]);

/** By the likeliest answers, and by drawn ones. */
async function evaluatedBothWays(
  stage: 'untouched' | 'fine-tuned' | 'ppo',
  folder: string,
  args: readonly string[],
): Promise<void> {
  await evaluated(stage, folder, args);
  await evaluated(`${stage}-drawn`, folder, [...args, '--temperature', '1']);
}

async function demonstrate({ id, ...game }: DemonstratedGame, seed: number): Promise<void> {
  const folder = join(out!, id.replaceAll('/', '-'), String(seed));
  createFolder(folder);
  const evaluate = game.isDrawnToo ? evaluatedBothWays : evaluated;
  const [env, from] = [
    ['--env', id],
    ['--seed', String(seed)],
  ];
  const asked = [...env, '--num-episodes', String(game.episodes)];
  const after = [...env, '--num-episodes', String(game.episodesAfter ?? game.episodes)];
  const policy = ['--policy', values.policy];
  // the same model whatever the seed
  if (seed === seeds[0])
    await evaluate('untouched', folder, [...asked, '--ckpt', 'untouched', ...policy, ...from]);
  const data = join(folder, 'data');
  await collectedIn(data, ['collect', ...env, ...game.collect, ...from]);
  const sft = await trainedRun(join(folder, 'sft-run'), [
    'sft',
    '--data',
    data,
    ...policy,
    ...game.sft,
    ...from,
  ]);
  await evaluate('fine-tuned', folder, [...asked, '--ckpt', sft, ...from]);
  const start = [...env, ...policy, '--init', sft, '--eval-episodes', '0'];
  const ppo = await trainedRun(join(folder, 'ppo-run'), ['ppo', ...start, ...game.ppo, ...from]);
  await evaluate('ppo', folder, [...after, '--ckpt', ppo, ...from]);
  if (game.comparesCredit) {
    const credit = ['--credit', 'answer', '--thought-prob-coef', '0.5'];
    const made = await trainedRun(join(folder, 'answer-credit-run'), [
      'ppo',
      ...start,
      ...game.ppo,
      ...credit,
      ...from,
    ]);
    await evaluated('answer-credit', folder, [...after, '--ckpt', made, ...from]);
  }
  if (game.isShownBlank)
    await evaluated('blank', folder, [...asked, '--ckpt', ppo, '--observe', 'text', ...from]);
}

/** Each stage's results by seed, as far as they are there. */
function results(id: string, stage: Stage) {
  return seeds.flatMap((seed) => {
    const file = join(out!, id.replaceAll('/', '-'), String(seed), stage, 'eval.json');
    return existsSync(file)
      ? [JSON.parse(readFileSync(file, 'utf8')) as { games: { won: boolean; return: number }[] }]
      : [];
  });
}

if (!values.table) {
  const waiting = games.flatMap((game) => seeds.map((seed) => ({ game, seed })));
  const act = ({ game, seed }: (typeof waiting)[number]) => demonstrate(game, seed);
  await each(waiting, { jobs: Number(values.jobs), act });
}
process.stdout.write(
  demonstrationTable(
    games.map((game) => ({
      game,
      results: new Map(stages.map((stage) => [stage, results(game.id, stage).map(({ games: all }) => all)])),
    })),
  ),
);
