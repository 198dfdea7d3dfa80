/**
 * The overhead of an update when workers compute the gradients: milliseconds (median of five) for trainer and worker,
 * by number of trained parameters. Cases: emma-tiny's projection, InstructBLIP's (768 · 4096 + 4096), an adapter of
 * rank 8 on all projections of Vicuna 7B. Build, then run `node packages/experiment/dist/bench/gradients.bench.js`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gradientInShards } from '@emac/algorithms';
import { promptOf, Random, type Gradient, type GradientRow } from '@emac/core';
import { imitationLoss } from '@emac/losses';
import { sharedFolder } from '@emac/queue';
import { readGradient, readRows, readVersion, rowStore, storeGradient, storeVersion } from '@emac/workers';

const [repeats, rowsOfShard] = [5, 8];
// of a layer: q, k, v and o of 4096 to 4096, gate and up of 4096 to 11008, down of 11008 to 4096
const vicuna = 32 * 8 * (4 * (4096 + 4096) + 3 * (4096 + 11008));
const place = mkdtempSync(join(tmpdir(), 'gradients-'));
const folder = sharedFolder(place);
const random = Random.fromSeed(0);

async function median(task: (turn: number) => unknown): Promise<string> {
  const times: number[] = [];
  for (let turn = 0; turn < repeats; turn++) {
    const start = performance.now();
    await task(turn);
    times.push(performance.now() - start);
  }
  return `${times.sort((a, b) => a - b)[Math.floor(repeats / 2)]!.toFixed(1)} ms`;
}

async function measure(count: number): Promise<string> {
  const data = Float32Array.from({ length: count }, () => random.uniform());
  const parameters = new Map([['w', { shape: [count], data }]]);
  const expected = { parameters, names: null, rows: 1, hasCritic: false };
  const rows = Array.from({ length: rowsOfShard }, (_, row): GradientRow => {
    const features = { key: `picture ${row}`, data: new Float32Array(32 * 768).fill(row) };
    return { prompt: promptOf([features], `You see ${row}.`), answers: ['go'], weight: 1 / rowsOfShard };
  });
  const logProbabilities = rows.map(() => [-1]);
  const changed = (turn: number): Gradient => {
    data[0] = turn;
    return { loss: turn, gradients: new Map([['w', data]]), logProbabilities };
  };
  const put = rowStore(folder);
  let [version, shard, gradient] = ['', '', ''];
  const parts = {
    'trainer: version put': await median((turn) => {
      changed(turn);
      version = storeVersion(folder, { parameters, adapter: null });
    }),
    'shard put': await median((turn) => {
      shard = put({ rows: rows.map((row) => ({ ...row, weight: turn })), losses: imitationLoss });
    }),
    'a worker: version read': await median(() => readVersion(folder, version)),
    'shard read': await median(() => readRows(folder, shard)),
    'gradient put': await median((turn) => {
      gradient = storeGradient(folder, changed(turn));
    }),
    'trainer: two gradients read and added': await median(() =>
      gradientInShards(2, async function* () {
        for (const each of [gradient, gradient]) yield await readGradient<Gradient>(folder, each, expected);
      })(rows, imitationLoss),
    ),
  };
  const said = Object.entries(parts).map(([part, time]) => `${part} ${time}`);
  return `${count} numbers (${(count * 4e-6).toFixed(2)} MB): ${said.join(', ')}`;
}

for (const count of [12_416, 768 * 4096 + 4096, vicuna]) console.log(await measure(count));
rmSync(place, { recursive: true });
