/**
 * Measures the throughput of a listener's service: one item at a time, many in a request, and many clients at once. The
 * service is a separate process, the clients are this one; every item has three candidates and a new question. A call
 * of the model takes --call-ms, so that 0 measures the wire alone.
 *
 *   node tools/dist/bench-lewis-wire/main.js [--requests 1000] [--clients 64] [--many 10000] [--call-ms 0,10] [--json]
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { answered, type Answered, type Load } from './clients.ts';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '1000' },
    clients: { type: 'string', default: '64' },
    many: { type: 'string', default: '10000' },
    'call-ms': { type: 'string', default: '0,10' },
    json: { type: 'boolean', default: false },
  },
});
const requests = Number(values.requests);
const clients = Number(values.clients);
const loads: readonly Load[] = [
  { clients: 1, requests, items: null },
  { clients: 1, requests, items: 4 },
  { clients: 1, requests: Math.ceil(requests / 4), items: 16 },
  { clients, requests: Number(values.many), items: 4 },
];

interface Line extends Load, Answered {
  readonly callMs: number;
}

const lines: Line[] = [];
for (const callMs of values['call-ms'].split(',').map(Number)) {
  const child = fork(fileURLToPath(new URL('./server.js', import.meta.url)), [String(callMs)]);
  const [address] = (await once(child, 'message')) as [string];
  // the first requests trigger compilation
  let first = 0;
  await answered(address, { clients: 8, requests: 200, items: 4 }, first);
  first += 200 * 4;
  for (const load of loads) {
    lines.push({ ...load, callMs, ...(await answered(address, load, first)) });
    first += load.requests * (load.items ?? 1);
  }
  child.disconnect();
  await once(child, 'exit');
}

const words = lines.map(({ callMs, clients: many, requests: count, items, ...found }) => {
  const what = items === null ? '`/score`' : `\`/batch_score\`, ${items} items`;
  const speed = `${found.perSecond.toFixed(0)} | ${found.itemsPerSecond.toFixed(0)}`;
  const times = `${found.medianMs.toFixed(1)} | ${found.p99Ms.toFixed(1)}`;
  return `| ${callMs} | ${what} | ${many} | ${count} | ${speed} | ${times} | ${found.failures} |`;
});
const head = [
  '| a call of the model, ms | route | clients | requests | requests a second | items a second | median, ms | 99 %, ms | failures |',
  '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
];
process.stdout.write(`${values.json ? JSON.stringify(lines) : [...head, ...words].join('\n')}\n`);
