/**
 * `node tools/dist/bridge/main.js [--bodies 100000] [--seed 0]`: sends so many malformed bodies over each wire and to a
 * served agent; status 2 if an answer is no 4xx, or memory grows.
 */
import { parseArgs } from 'node:util';
import { fuzz } from './fuzz.ts';

const { values } = parseArgs({
  options: { bodies: { type: 'string', default: '100000' }, seed: { type: 'string', default: '0' } },
});
const bodies = Number(values.bodies);
const mebibytes = (bytes: number) => Math.round(bytes / 1024 / 1024);
for (const { target, statuses, memory, isWell } of await fuzz({
  bodies,
  seed: Number(values.seed),
  atOnce: 32,
})) {
  const counts = [...statuses].sort().map(([status, count]) => `${status}: ${count}`);
  const { early, late } = memory;
  console.log(
    `${target}: ${counts.join(', ')}; ${mebibytes(early)} MiB after a fifth, ${mebibytes(late)} MiB at the end`,
  );
  const isRefusal = (status: number) => status === 200 || (status >= 400 && status < 500);
  if (![...statuses.keys()].every(isRefusal) || !isWell || late > early + 128 * 1024 * 1024)
    process.exitCode = 2;
}
