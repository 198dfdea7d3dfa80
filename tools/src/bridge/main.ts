/** `node tools/dist/bridge/main.js [--bodies 100000] [--seed 0]`: malformed bodies over both wires; status 2 where an answer is no 4xx, or memory grows. */
import { parseArgs } from 'node:util';
import { fuzz } from './fuzz.ts';

const { values } = parseArgs({
  options: { bodies: { type: 'string', default: '100000' }, seed: { type: 'string', default: '0' } },
});
const { statuses, memory, isWell } = await fuzz({
  bodies: Number(values.bodies),
  seed: Number(values.seed),
  atOnce: 32,
});
for (const [status, count] of [...statuses].sort()) console.log(`${status}: ${count}`);
const mebibytes = (bytes: number) => Math.round(bytes / 1024 / 1024);
console.log(`memory: ${mebibytes(memory.early)} MiB after a fifth, ${mebibytes(memory.late)} MiB at the end`);
const isFine = [...statuses.keys()].every((status) => status === 200 || (status >= 400 && status < 500));
process.exitCode = isFine && isWell && memory.late < memory.early + 128 * 1024 * 1024 ? 0 : 2;
