/**
 * After imitation of one game with frames alone: preferences, more imitation, or reward? Each method goes on from the same policy of its
 * seed with a few thousand environment steps, and plays all games of valid_seen and of valid_unseen once. Prints a table.
 *
 *   node experiments/after-cloning.mjs OUT GAMES [SEED …]     GAMES: ALFWorld's json_2.1.1; default seeds: 0 to 4; runs in OUT are kept
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pairedWins, summarize } from '@emac/rollout';
import { emac, table, trained } from './emac.mjs';

const [out, games, ...given] = process.argv.slice(2);
if (games === undefined) {
  process.stderr.write('after-cloning: needs a folder for its runs and the folder of games json_2.1.1\n');
  process.exit(64);
}
const seeds = given.length > 0 ? given : ['0', '1', '2', '3', '4'];
const sets = { valid_seen: '140', valid_unseen: '134' };

const train = ['--games', join(games, 'train')];
const common = [...train, '--eval-games', '0', '--max-steps', '30'];
// 240 games, each played once: rounds would leave out those that were won
const labelled = ['--games-per-round', '240', '--rounds', '1'];
// 256 attempts; without a penalty for leaving the untouched model
const group = ['--env', 'alfworld', '--prompts-per-update', '4', '--updates', '8', '--beta', '0'];
const segments = ['--env', 'alfworld', '--num-processes', '16', '--num-steps', '30', '--steps', '2880'];
const methods = {
  bc: (start) => ['--init', start, ...labelled],
  dpo: (start) => ['--ref', start, ...labelled],
  grpo: (start) => ['--init', start, ...group],
  gigpo: (start) => ['--init', start, ...group],
  hgpo: (start) => ['--init', start, ...group],
  ppo: (start) => ['--init', start, ...segments, '--batch-size', '480', '--lr', '3e-3'],
};

const folderOf = (method, seed) => join(out, `${method}-${seed}`);
const runIn = (folder) => {
  const name = readdirSync(folder).find((each) => existsSync(join(folder, each, 'run.json')));
  return join(folder, name);
};

/** The games of a finished run's evaluation. */
function evaluated(folder, set) {
  const path = join(folder, `${set}.json`);
  if (!existsSync(path)) {
    const tasks = ['--games', join(games, set), '--num-games', sets[set], '--max-steps', '50'];
    emac(['eval', '--ckpt', runIn(folder), ...tasks, '--out', path, '--quiet']);
  }
  return JSON.parse(readFileSync(path, 'utf8')).games;
}

/** Environment steps that the student took while it was trained. */
function stepsOf(folder) {
  const lines = readFileSync(join(runIn(folder), 'metrics.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map(JSON.parse);
  const rounds = lines.filter(({ kind }) => kind === 'round');
  if (rounds.length > 0) return rounds.reduce((sum, { played, mean_steps: mean }) => sum + played * mean, 0);
  return Math.max(...lines.map(({ environment_steps: steps }) => steps ?? 0));
}

for (const seed of seeds) {
  const start = folderOf('start', seed);
  const one = ['--games-per-round', '1', '--rounds', '1'];
  trained(start, ['--method', 'bc', ...train, ...one, '--seed', seed, '--eval-games', '0']);
  for (const [method, words] of Object.entries(methods))
    trained(folderOf(method, seed), ['--method', method, ...words(runIn(start)), ...common, '--seed', seed]);
}

const all = ['start', ...Object.keys(methods)];
const gamesOf = (method, set) => seeds.flatMap((seed) => evaluated(folderOf(method, seed), set));
const share = (played) => {
  const {
    success,
    success_ci95: [low, high],
    mean_steps: steps,
  } = summarize(played);
  return `${success.toFixed(2)} [${low.toFixed(2)}, ${high.toFixed(2)}], ${steps.toFixed(1)} steps`;
};
const won = (played) => played.map((game) => Number(game.won));
/** Success minus that of DPO on the same games. */
function beside(played, dpo) {
  const { difference, ci95 } = pairedWins(won(dpo).map((first, place) => [first, won(played)[place]]));
  return `${difference.toFixed(2)} [${ci95.map((end) => end.toFixed(2)).join(', ')}]`;
}
const dpo = gamesOf('dpo', 'valid_seen');
const rows = all.map((method) => {
  const [seen, unseen] = Object.keys(sets).map((set) => gamesOf(method, set));
  const each = seeds.map((seed) =>
    summarize(evaluated(folderOf(method, seed), 'valid_seen')).success.toFixed(2),
  );
  const steps = seeds.map((seed) => Math.round(stepsOf(folderOf(method, seed))));
  return [method, share(seen), each.join(', '), share(unseen), beside(seen, dpo), steps.join(', ')];
});
const head = ['valid_seen', 'its seeds', 'valid_unseen', 'beside dpo', 'environment steps'];
process.stdout.write(table(['method', ...head], rows));
