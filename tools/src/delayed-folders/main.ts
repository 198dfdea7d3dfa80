/** `node tools/dist/delayed-folders/main.js [--seeds 0..1000]`: every read over a shared folder under drawn delays; status 2 if one is wrong. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { delayedReads, patience } from './protocol.ts';

const { values } = parseArgs({ options: { seeds: { type: 'string', default: '0..1000' } } });
const [first = 0, end = 0] = values.seeds.split('..').map(Number);
const sum = { files: 0, torn: 0, waits: 0, refused: 0, broken: 0 };
for (let seed = first; seed < end; seed++)
  for (const longest of [patience, 60_000]) {
    const place = mkdtempSync(join(tmpdir(), 'delayed-'));
    const { files, torn, waits, refused, broken } = await delayedReads(place, { seed, longest });
    rmSync(place, { recursive: true });
    sum.files += files;
    sum.torn += torn;
    sum.waits += waits;
    sum.refused += refused.length;
    sum.broken += broken.length;
    for (const each of broken) console.log(`seed ${seed}, up to ${longest / 1000} s: ${each}`);
  }
console.log(`seeds ${values.seeds}: ${JSON.stringify(sum)}`);
if (sum.broken > 0) process.exitCode = 2;
