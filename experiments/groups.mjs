/**
 * Trains a perceptron by group advantages and by PPO in built-in environments, and prints what each reached on held-out tasks. PPO gets
 * the environment steps of the longest of the other runs of its seed.
 *
 *   node experiments/groups.mjs OUT [ENVIRONMENT …]     default: all; those in OUT are not trained again
 */
import { join } from 'node:path';
import { table, trained } from './emac.mjs';

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
  return trained(folder, [...common, ...words, '--eval-episodes', '100']);
}

const range = (numbers, digits) => {
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)].map((each) => each.toFixed(digits));
  return least === most ? least : `${least} to ${most}`;
};

/** A method's results with all seeds, as a row. */
function row(env, method, results) {
  const of = (read) => results.map(read);
  return [
    env,
    method,
    of(({ after }) => after.success.toFixed(2)).join(', '),
    of(({ after }) => after.mean_return.toFixed(2)).join(', '),
    range(
      of(({ answers, environment_steps }) => answers ?? environment_steps),
      0,
    ),
    range(
      of(({ seconds }) => seconds),
      0,
    ),
  ];
}

const rows = (asked.length > 0 ? asked : environments).flatMap((env) => {
  const found = groups.map((method) => [method, seeds.map((seed) => run(env, [method, seed]))]);
  const beside = seeds.map((seed, place) => {
    const steps = Math.max(...found.map(([, results]) => results[place].answers));
    return run(env, ['ppo', seed], ['--steps', String(steps)]);
  });
  return [...found, ['ppo', beside]].map(([method, results]) => row(env, method, results));
});
process.stdout.write(
  table(['environment', 'method', 'success', 'mean return', 'environment steps', 'seconds'], rows),
);
