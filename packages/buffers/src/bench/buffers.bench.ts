/**
 * A full buffer of distinct frames (32 × 768 features) and 4 KB histories on disk: memory, appends, samples, resuming.
 * `npx nx bench buffers`, optionally with a number of transitions. 10⁵ of them need 5.4 GB among the system's temporary
 * files.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promptOf, Random } from '@emac/core';
import { openBufferFile } from '../buffer-file.ts';
import { createImitationBuffer, type ImitationBuffer } from '../replay-buffer.ts';

const count = Number(process.argv[2] ?? 100_000);
const [episodeSteps, batch, batches] = [50, 16, 200];
const folder = mkdtempSync(join(tmpdir(), 'emac-buffer-bench-'));
const path = join(folder, 'transitions.bin');

const frame = Float32Array.from({ length: 32 * 768 }, () => Random.fromSeed('frame').normal());
const text = 'You arrive at countertop 1. On the countertop 1, you see a mug 1.\n> '
  .repeat(60)
  .slice(0, 4096);

/** Every transition has its own features and history. */
function append(buffer: ImitationBuffer, number: number): void {
  const data = frame.slice();
  data[number % data.length] = number;
  const key = number.toString(16).padStart(64, '0');
  const step = number % episodeSteps;
  const origin = { taskId: 'task/trial', round: 0, episode: (number - step) / episodeSteps, step };
  const own = `${number}${text.slice(String(number).length)}`;
  buffer.append({ ...origin, prompt: promptOf([{ key, data }], own), answer: ' go to shelf 1' });
}

let peak = 0;
const seconds = (start: number) => (performance.now() - start) / 1000;
const megabytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`;
const watchMemory = () => (peak = Math.max(peak, process.memoryUsage().rss));

function fill(): void {
  const buffer = createImitationBuffer({ capacity: count });
  const file = openBufferFile(path, buffer);
  const start = performance.now();
  // a tenth more than its capacity, to evict the oldest
  const appends = Math.round(count * 1.1);
  for (let number = 0; number < appends; number++) {
    append(buffer, number);
    if (number % episodeSteps === episodeSteps - 1) file.save();
    if (number % 1000 === 0) watchMemory();
  }
  file.save();
  const took = seconds(start);
  console.log(
    `${appends} appended, ${buffer.length} held: ${Math.round(appends / took)} a second, saved every ${episodeSteps}`,
  );
  console.log(`file ${megabytes(statSync(path).size)}, resident memory at most ${megabytes(peak)}`);
  measureSamples(buffer);
  file.close();
}

function measureSamples(buffer: ImitationBuffer): void {
  const random = Random.fromSeed('samples');
  const times = Array.from({ length: batches }, () => {
    const start = performance.now();
    buffer.sample(batch, random);
    return performance.now() - start;
  }).sort((a, b) => a - b);
  watchMemory();
  console.log(
    `${batch} samples with their features: median ${times[batches >> 1]!.toFixed(2)} ms, 95 % ${times[Math.floor(batches * 0.95)]!.toFixed(2)} ms`,
  );
}

function resume(): void {
  const { size } = statSync(path);
  const start = performance.now();
  const buffer = createImitationBuffer({ capacity: count });
  const file = openBufferFile(path, buffer, { length: size });
  watchMemory();
  console.log(
    `resumed with ${buffer.length} held in ${seconds(start).toFixed(1)} s, the file's hash computed again`,
  );
  console.log(`resident memory at most ${megabytes(peak)} in all`);
  file.close();
}

try {
  fill();
  resume();
} finally {
  rmSync(folder, { recursive: true });
}
