/**
 * PPO with small networks on card games and MiniGrid, from several seeds, scored on held-out seeds: a table beside the
 * exact optimum, and steps per second. OUT keeps finished work, and a stopped run resumes there.
 *
 *   node tools/dist/small-ppo/main.js OUT [--env ID]… [--seeds 0,1,2] [--episodes 2000] [--env-steps N] [--verbose] [--json]
 */

import { parseArgs } from 'node:util';
import { createFolder } from '@emac/files';
import { foundEnvironments, learn, type Learned } from './learn.ts';
import { table, wanted } from './table.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    env: { type: 'string', multiple: true, default: [...foundEnvironments] },
    seeds: { type: 'string', default: '0,1,2' },
    episodes: { type: 'string' },
    'env-steps': { type: 'string' },
    verbose: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const [folder] = positionals;
if (folder === undefined) throw new Error('small-ppo: needs an output folder');
createFolder(folder);

const all: Learned[] = [];
for (const id of values.env)
  for (const seed of values.seeds.split(',').map(Number)) {
    const learned = await learn({
      id,
      seed,
      folder,
      episodes: Number(values.episodes ?? wanted(id).episodes),
      environmentSteps: values['env-steps'] === undefined ? null : Number(values['env-steps']),
      report: (line) => {
        if (values.verbose) process.stderr.write(`${JSON.stringify(line)}\n`);
      },
    });
    all.push(learned);
    const { greedy, seconds } = learned;
    process.stderr.write(`${id} seed ${seed}: ${greedy.meanReturn.toFixed(4)} in ${seconds.toFixed(0)} s\n`);
  }
process.stdout.write(values.json ? `${JSON.stringify(all, null, 1)}\n` : table(all));
