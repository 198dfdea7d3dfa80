/**
 * Trains bc, PPO and GRPO in the three environments of examples/environments, and prints what each reached on held-out tasks.
 *
 *   node experiments/three-environments.mjs OUT [guess/ppo …]     default: all; those in OUT are not trained again
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { table, trained } from './emac.mjs';

const settings = {
  'guess/bc': '',
  'guess/ppo': '--steps 16384',
  'guess/grpo': '',
  'walk/bc': '',
  'walk/ppo': '--steps 8192',
  'walk/grpo': '',
  'lookup/bc': '',
  'lookup/ppo': '--steps 65536 --lr 3e-3',
  'lookup/grpo': '--lr 1e-2',
};

const [out, ...asked] = process.argv.slice(2);
const unknown = asked.find((name) => !(name in settings));
if (out === undefined || unknown !== undefined) {
  process.stderr.write(
    `three-environments: needs a folder and names such as guess/ppo, got ${unknown ?? 'none'}\n`,
  );
  process.exit(64);
}
const names = asked.length > 0 ? asked : Object.keys(settings);

/** Held-out tasks won, and the mean number of steps. */
function reached(name) {
  if (!names.includes(name)) return '–';
  const [environment, method] = name.split('/');
  const file = fileURLToPath(new URL(`../examples/environments/${environment}.mjs`, import.meta.url));
  const own = settings[name].split(' ').filter(Boolean);
  const words = ['--method', method, '--policy', 'mlp', ...own, '--eval-episodes', '8'];
  const { games, mean_steps: steps } = trained(join(out, environment, method), words, ['--env', file]).after;
  return `${games.filter(({ won }) => won).length} of ${games.length}, ${steps.toFixed(3)} steps`;
}

const methods = ['bc', 'ppo', 'grpo'];
process.stdout.write(
  table(
    ['environment', ...methods],
    ['guess', 'walk', 'lookup'].map((environment) => [
      environment,
      ...methods.map((method) => reached(`${environment}/${method}`)),
    ]),
  ),
);
