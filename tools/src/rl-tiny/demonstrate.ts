/**
 * rl-tiny untrained, fine-tuned on collected play, and after PPO, on held-out seeds and with blank frames, with the
 * public commands: a table. Finished work in OUT is not repeated; a stopped training resumes.
 *
 *   node tools/dist/rl-tiny/demonstrate.js OUT [--env ID]… [--seeds 0,1,2] [--jobs 1] [--policy rl-tiny] [--table]
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createFolder } from '@emac/files';
import { markdown } from '../experiments/results.ts';
import {
  collectedIn,
  each,
  episodesIn,
  evaluatedIn,
  meanAndEach,
  shareWon,
  trainedRun,
} from '../tiny-model/demonstration.ts';
import { demonstratedGames, type DemonstratedGame } from './demonstrated-games.ts';

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
const seeds = values.seeds.split(',');
const games = demonstratedGames.filter(({ id }) => values.env.includes(id));
const folderOf = (id: string, seed: string) => join(out, id.replaceAll('/', '-'), seed);

/** Columns of the table, by the folders of their evaluations. */
const stages = {
  untouched: 'untouched',
  'fine-tuned': 'fine-tuned',
  ppo: 'PPO',
  'answer-credit': 'PPO, a ratio an answer',
  falling: 'PPO, temperature falls',
  blank: 'PPO, blank frames',
} as const;
const drawn = (stage: string) => `${stage}-drawn`;

async function demonstrate(game: DemonstratedGame, seed: string): Promise<void> {
  const folder = folderOf(game.id, seed);
  createFolder(folder);
  const [env, from, policy] = [
    ['--env', game.id],
    ['--seed', seed],
    ['--policy', values.policy],
  ] as const;
  const evaluated = async (stage: keyof typeof stages, args: readonly string[], bothWays?: true) => {
    const asked = ['eval', ...env, ...args, ...from];
    await evaluatedIn(join(folder, stage), asked);
    if (bothWays) await evaluatedIn(join(folder, drawn(stage)), [...asked, '--temperature', '1']);
  };
  const episodes = ['--num-episodes', String(game.episodes)];
  const after = ['--num-episodes', String(game.episodesAfter ?? game.episodes)];
  // the model is the same for every seed
  if (seed === seeds[0])
    await evaluated('untouched', [...episodes, '--ckpt', 'untouched', ...policy], game.isDrawnToo);
  const data = join(folder, 'data');
  // half of the labels are wrong on purpose
  await collectedIn(data, ['collect', ...env, '--num-samples', '512', '--label-noise', '0.5', ...from]);
  const tuning = [...policy, '--max-updates', String(game.tuning), '--lr', '1e-3', ...from];
  const sft = await trainedRun(join(folder, 'sft-run'), ['sft', '--data', data, ...tuning]);
  await evaluated('fine-tuned', [...episodes, '--ckpt', sft], game.isDrawnToo);
  const learned = (name: string, ...more: readonly string[]) => {
    const start = [...env, ...policy, '--init', sft, '--eval-episodes', '0'];
    const steps = ['--steps', String(game.steps)];
    return trainedRun(join(folder, name), ['ppo', ...start, ...steps, ...more, ...from]);
  };
  const ppo = await learned('ppo-run');
  await evaluated('ppo', [...after, '--ckpt', ppo], game.isDrawnToo);
  if (game.comparesCredit) {
    const credit = ['--credit', 'answer', '--thought-prob-coef', '0.5'];
    const made = await learned('answer-credit-run', ...credit);
    await evaluated('answer-credit', [...after, '--ckpt', made]);
  }
  if (game.finalTemperature !== undefined) {
    const made = await learned('falling-run', '--final-temperature', String(game.finalTemperature));
    await evaluated('falling', [...after, '--ckpt', made], game.isDrawnToo);
  }
  if (game.isShownBlank) await evaluated('blank', [...episodes, '--ckpt', ppo, '--observe', 'text']);
}

/** Success of each stage: mean over the seeds, and by seed, as far as they are there. */
function row(title: string, game: DemonstratedGame, nameOf = (stage: string) => stage): readonly string[] {
  const cells = Object.keys(stages).map((stage) => {
    const folders = seeds.map((seed) => join(folderOf(game.id, seed), nameOf(stage)));
    return meanAndEach(episodesIn(folders).map(shareWon));
  });
  return [title, game.published, game.wanted === null ? '' : `≥ ${game.wanted}`, ...cells];
}

if (!values.table) {
  const waiting = games.flatMap((game) => seeds.map((seed) => ({ game, seed })));
  const act = ({ game, seed }: (typeof waiting)[number]) => demonstrate(game, seed);
  await each(waiting, { jobs: Number(values.jobs), act });
}
const rows = games.flatMap((game) => [
  row(game.id, game),
  ...(game.isDrawnToo ? [row(`${game.id}, sampled`, game, drawn)] : []),
]);
const head = ['environment', 'published', 'wanted', ...Object.values(stages)];
process.stdout.write(markdown([head, ...rows]) + '\n');
