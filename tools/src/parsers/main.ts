/**
 * `node tools/dist/parsers/main.js [--inputs 1000000] [--seed 0] [--only NAME]`: gives so many damaged inputs to the parsers, by their shares. Status 2 if one
 * ends with another error than a refusal; its input is kept as `tools/fixtures/parsers/NAME-NUMBER`, which `npm test` tries from then on.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createFolder } from '@emac/files';
import { openParsers } from './parsers.ts';
import { tryInputs } from './try-inputs.ts';

const { values } = parseArgs({
  options: {
    inputs: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '0' },
    only: { type: 'string', default: '' },
  },
});
const kept = fileURLToPath(new URL('../../fixtures/parsers/', import.meta.url));
const { parsers, dispose } = await openParsers();
const shares = parsers.reduce((sum, { share }) => sum + share, 0);
try {
  for (const parser of parsers.filter(({ name }) => name.startsWith(values.only))) {
    const inputs = Math.ceil((Number(values.inputs) * parser.share) / shares);
    const begin = performance.now();
    const faults = await tryInputs(parser, { inputs, seed: Number(values.seed) });
    const seconds = ((performance.now() - begin) / 1000).toFixed(1);
    console.log(`${parser.name}: ${inputs} inputs in ${seconds} s, ${faults.length} faults`);
    for (const { number, thrown, input } of faults) {
      createFolder(kept);
      const path = join(kept, `${parser.name}-${number}`);
      writeFileSync(path, input);
      console.log(`  ${path}: ${thrown instanceof Error ? thrown.stack : String(thrown)}`);
      process.exitCode = 2;
    }
  }
} finally {
  await dispose();
}
