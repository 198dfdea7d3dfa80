/**
 * Trains a perceptron by group advantages and by PPO in built-in environments, and prints what each reached on held-out tasks. PPO gets
 * the environment steps of the longest of the other runs of its seed.
 *
 *   node experiments/groups.mjs OUT [ENVIRONMENT …]     default: all; those in OUT are not trained again
 */
import { join } from 'node:path';
import { emac, table, trained } from './emac.mjs';

const environments = [
  'gym_cards/NumberLine-v0',
  'gym_cards/Blackjack-v0',
  'MiniGrid-Empty-Random-5x5-v0',
  'MiniGrid-DoorKey-5x5-v0',
];
const [groups, seeds] = [
  ['grpo', 'gigpo', 'hgpo'],
  [0, 1, 2],
];

const [out, ...asked] = process.argv.slice(2);
const unknown = asked.find((name) => !environments.includes(name));
if (out === undefined || unknown !== undefined) {
  process.stderr.write(
    `groups: needs a folder and ids such as ${environments[0]}, got ${unknown ?? 'none'}\n`,
  );
  process.exit(64);
}

function run(env, [method, seed], words = []) {
  const folder = join(out, env.replaceAll('/', '_'), `${method}-${seed}`);
  const common = ['--method', method, '--env', env, '--policy', 'mlp', '--seed', String(seed)];
  return trained(folder, [...common, ...words, '--eval-episodes', '0']);
}

/** All runs on the same held-out tasks. */
function compared(env, runs) {
  const policies = runs.map(({ folder }) => folder).join(',');
  const tasks = ['--num-episodes', '100', '--out', join(out, 'bench'), '--json', '--quiet'];
  const printed = emac(['env', 'bench', '--env', env, '--policy', policies, ...tasks]);
  return JSON.parse(printed).environments[0].comparison.policies;
}

const range = (numbers) => {
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)].map((each) => each.toFixed(0));
  return least === most ? least : `${least} to ${most}`;
};

/** A method's results with all seeds, as a row. */
function row([env, method], results, found) {
  return [
    env,
    method,
    found.map(({ success }) => success.toFixed(2)).join(', '),
    found.map(({ mean_return: mean }) => mean.toFixed(2)).join(', '),
    range(results.map(({ answers, environment_steps: steps }) => answers ?? steps)),
    range(results.map(({ seconds }) => seconds)),
  ];
}

const rows = (asked.length > 0 ? asked : environments).flatMap((env) => {
  const runs = groups.map((method) => seeds.map((seed) => run(env, [method, seed])));
  const beside = seeds.map((seed, place) => {
    const steps = Math.max(...runs.map((results) => results[place].answers));
    return run(env, ['ppo', seed], ['--steps', String(steps)]);
  });
  const all = [...runs, beside];
  const found = compared(env, all.flat());
  return [...groups, 'ppo'].map((method, place) => {
    const own = found.slice(place * seeds.length, (place + 1) * seeds.length);
    return row([env, method], all[place], own);
  });
});
process.stdout.write(
  table(['environment', 'method', 'success', 'mean return', 'environment steps', 'seconds'], rows),
);
