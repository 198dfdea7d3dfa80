/**
 * Measures how fast `emac serve` answers concurrent clients, with single questions and with batches. The server is a
 * separate process; the clients, each with a game, are this one. Settings alternate; medians over the turns.
 *
 *   node tools/dist/bench-serve/main.js [--clients 64] [--steps 10000] [--batches 1,64] [--beams 5] [--pictures] [--repetitions 3] [--json]
 */
import { parseArgs } from 'node:util';
import { middleOf, type Turn } from '../bench-wire/load.ts';
import { stepped } from './clients.ts';
import { served } from './server-process.ts';

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '64' },
    steps: { type: 'string', default: '10000' },
    batches: { type: 'string', default: '1,64' },
    beams: { type: 'string', default: '5' },
    pictures: { type: 'boolean', default: false },
    repetitions: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
  },
});
const clients = Number(values.clients);
const load = { clients, steps: Number(values.steps), withPictures: values.pictures };

const found = new Map<number, Turn[]>(values.batches.split(',').map((batch) => [Number(batch), []]));
for (let turn = 0; turn < Number(values.repetitions); turn++)
  for (const [batch, turns] of found) {
    const server = await served({ batch, beams: Number(values.beams) });
    try {
      // each client's first question opens networks and encodes new pictures
      await stepped(server.address, { ...load, steps: clients });
      const measured = await stepped(server.address, load);
      turns.push({ ...measured, stallMs: await server.longestStallMs() });
    } finally {
      await server.end();
    }
  }

const lines = [...found].map(([batch, turns]) => {
  const { perSecond, stallMs, ...middle } = middleOf(turns);
  return { batch, stepsPerSecond: perSecond, ...middle, longestStallMs: stallMs };
});
const words = lines.map(
  ({ batch, stepsPerSecond, medianMs, p99Ms, longestStallMs }) =>
    `| ${batch} | ${stepsPerSecond.toFixed(1)} | ${medianMs.toFixed(0)} | ${p99Ms.toFixed(0)} | ${longestStallMs.toFixed(0)} |`,
);
const head = [
  '| questions in a batch, at most | steps a second | median, ms | 99 %, ms | longest stall, ms |',
  '| --- | --- | --- | --- | --- |',
];
process.stdout.write(`${values.json ? JSON.stringify(lines) : [...head, ...words].join('\n')}\n`);
