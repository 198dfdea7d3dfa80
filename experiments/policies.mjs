/**
 * Trains a policy with each method in built-in environments, and prints a table of all policies on the same held-out tasks.
 *
 *   node experiments/policies.mjs OUT [ENVIRONMENT …]     default: all; what is in OUT is neither trained nor played again
 */
import { join } from 'node:path';
import { emac, table, trained } from './emac.mjs';

const network = { bc: '--policy mlp', dpo: '--policy mlp', ppo: '--policy mlp' };
const longer = { ...network, ppo: '--policy mlp --steps 100000' };
/** Settings by environment and method; `dpo` begins with the result of bc. */
const trainings = {
  alfworld: { bc: '', dpo: '' },
  'gym_cards/NumberLine-v0': network,
  'gym_cards/Blackjack-v0': longer,
  'MiniGrid-Empty-5x5-v0': longer,
  'MiniGrid-Empty-6x6-v0': longer,
  'MiniGrid-Empty-Random-5x5-v0': network,
  'MiniGrid-DoorKey-5x5-v0': network,
};
/** Where the untouched model answers in seconds. */
const quick = ['alfworld', 'gym_cards/NumberLine-v0', 'gym_cards/Blackjack-v0'];

const [out, ...asked] = process.argv.slice(2);
const unknown = asked.find((name) => !(name in trainings));
if (out === undefined || unknown !== undefined) {
  process.stderr.write(`policies: needs a folder and ids such as alfworld, got ${unknown ?? 'none'}\n`);
  process.exit(64);
}

/** The runs of an environment, by method. */
function runsIn(env) {
  const runs = {};
  for (const [method, settings] of Object.entries(trainings[env])) {
    const words = ['--method', method, '--env', env, ...settings.split(' ').filter(Boolean)];
    if (method === 'dpo') words.push('--ref', runs.bc);
    const folder = join(out, 'runs', env.replaceAll('/', '_'), method);
    runs[method] = trained(folder, [...words, '--eval-episodes', '0']).folder;
  }
  return runs;
}

/** A policy's row of a comparison in a cell. */
function cell(row) {
  if (row?.success == null) return '–';
  const { success, success_ci95: range, mean_return: mean, mean_steps: steps } = row;
  const percent = (share) => `${Math.round(100 * share)} %`;
  const returned = mean === null ? '' : `; ${mean.toFixed(2)}`;
  return `${percent(success)} [${range.map(percent).join(', ')}]${returned}; ${steps.toFixed(1)}`;
}

const columns = ['random', 'scripted', 'untouched', 'bc', 'dpo', 'ppo'];
const rows = (asked.length > 0 ? asked : Object.keys(trainings)).map((env) => {
  const runs = runsIn(env);
  const named = { random: 'random', scripted: 'scripted', ...runs };
  if (quick.includes(env)) named.untouched = 'untouched';
  const played = columns.filter((column) => column in named);
  const policy = played.map((column) => named[column]).join(',');
  const bench = [
    'env',
    'bench',
    '--env',
    env,
    '--policy',
    policy,
    '--out',
    join(out, 'bench'),
    '--json',
    '--quiet',
  ];
  const [{ comparison }] = JSON.parse(emac(bench)).environments;
  return [env, ...columns.map((column) => cell(comparison?.policies[played.indexOf(column)]))];
});
process.stdout.write(table(['environment', ...columns], rows));
