/**
 * How fast the networks are: `node dist/bench/backbone.bench.js [--only llama|generation|batches] [--json]
 * [--against-python PYTHON]`.
 */
import { parseArgs } from 'node:util';

import { batchGenerationBench, batchGenerationTable } from './batch-generation.bench.ts';
import { generationBench, generationTable } from './generation.bench.ts';
import { llamaBench, llamaTable } from './llama.bench.ts';
import { savedWorkTable } from './saved-work.bench.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    only: { type: 'string' },
    'against-python': { type: 'string' },
  },
});
const python = values['against-python'];
const options = { ...(python !== undefined && { python }) };
const wants = (part: string) => values.only === undefined || values.only === part;
const llama = wants('llama') ? await llamaBench(options) : null;
const generation = wants('generation') ? await generationBench(options) : null;
const batches = wants('batches') ? await batchGenerationBench() : null;
const tables = [
  ...(llama ? [llamaTable(llama.rows), savedWorkTable(llama.work)] : []),
  ...(generation ? [generationTable(generation)] : []),
  ...(batches ? [batchGenerationTable(batches)] : []),
];
process.stdout.write(
  `${values.json ? JSON.stringify({ llama, generation, batches }) : tables.join('\n\n')}\n`,
);
