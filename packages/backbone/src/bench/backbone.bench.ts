/**
 * How fast the networks are: `node dist/bench/backbone.bench.js [--json] [--against-python PYTHON]`.
 */
import { parseArgs } from 'node:util';

import { generationBench, generationTable } from './generation.bench.ts';
import { llamaBench, llamaTable } from './llama.bench.ts';
import { savedWorkTable } from './saved-work.bench.ts';

const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, 'against-python': { type: 'string' } },
});
const python = values['against-python'];
const options = { ...(python !== undefined && { python }) };
const llama = await llamaBench(options);
const generation = await generationBench(options);
const tables = () =>
  [llamaTable(llama.rows), savedWorkTable(llama.work), generationTable(generation)].join('\n\n');
process.stdout.write(`${values.json ? JSON.stringify({ llama, generation }) : tables()}\n`);
