/**
 * Long work with flat memory, handles and threads: updates of a small network, or requests to a served one.
 *
 *   node tools/dist/soak/main.js train [--count 100000] [--out FILE]
 *   node tools/dist/soak/main.js serve [--count 100000] [--out FILE]
 *
 * Prints a sample a second as a line of JSON (resident MB, threads, open files, work done), then the medians of the
 * second and of the last quarter. Ends with status 2 if the last quarter needs over 15 % more memory, or more threads or
 * open files.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync, appendFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { invariant } from '@emac/core';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { count: { type: 'string', default: '100000' }, out: { type: 'string' } },
});
const count = Number(values.count);
const folder = mkdtempSync(join(tmpdir(), 'emac-soak-'));
const program = fileURLToPath(new URL('../../../apps/cli/bin/emac.mjs', import.meta.url));

interface Sample {
  readonly megabytes: number;
  readonly threads: number;
  readonly files: number;
  readonly done: number;
}

const start = (words: string): ChildProcess =>
  spawn(process.execPath, [program, ...words.split(' ')], { stdio: ['ignore', 'pipe', 'ignore'] });

const training = (updates: number, out: string): string =>
  `train --method ppo --env FrozenLake-v1 --policy mlp --steps ${updates * 8} --num-processes 1 --num-steps 8 --batch-size 8 --eval-episodes 2 --checkpoint-every 1000 --keep 2 --out ${out} --quiet`;

function sampleOf({ pid }: ChildProcess, done: number): Sample | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const number = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
    const files = readdirSync(`/proc/${pid}/fd`).length;
    return { megabytes: number('VmRSS') / 1024, threads: number('Threads'), files, done };
  } catch {
    // it has ended
    return null;
  }
}

/** Samples every second until `over` resolves. */
async function sampled(child: ChildProcess, done: () => number, over: Promise<unknown>): Promise<Sample[]> {
  const samples: Sample[] = [];
  const timer = setInterval(() => {
    const sample = sampleOf(child, done());
    if (!sample) return;
    samples.push(sample);
    const line = `${JSON.stringify(sample)}\n`;
    if (values.out === undefined) process.stdout.write(line);
    else appendFileSync(values.out, line);
  }, 1000);
  await over.finally(() => clearInterval(timer));
  return samples;
}

async function train(): Promise<Sample[]> {
  const child = start(training(count, folder));
  child.stdout!.resume();
  const updates = () => {
    const [run] = readdirSync(folder).filter((name) => !name.startsWith('.'));
    if (run === undefined) return 0;
    const steps = readdirSync(join(folder, run, 'checkpoints')).filter((name) => /^\d+$/.test(name));
    return Math.max(0, ...steps.map(Number));
  };
  const ended = once(child, 'exit');
  const samples = await sampled(child, updates, ended);
  const [status] = (await ended) as [number | null];
  invariant(status === 0, `soak: emac train ended with ${status}`);
  return samples;
}

async function serve(): Promise<Sample[]> {
  const child = start('serve --ckpt emma-tiny --port 0');
  let address = '';
  for await (const line of createInterface(child.stdout!)) {
    address = /http:\/\/[\d.]+:\d+/.exec(line)?.[0] ?? '';
    if (address !== '') break;
  }
  child.stdout!.resume();
  let done = 0;
  const ask = async () => {
    for (; done < count; done++) {
      const answer = await fetch(`${address}/v1/act`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(question(done)),
      });
      const text = await answer.text();
      invariant(answer.status === 200, `soak: request ${done} was answered with ${answer.status}: ${text}`);
    }
  };
  const over = Promise.all(Array.from({ length: 8 }, ask));
  const samples = await sampled(child, () => done, over);
  child.kill('SIGTERM');
  return samples;
}

const question = (number: number): object => ({
  history: { initial: `You are in room ${number % 100}.`, turns: [] },
  admissible: ['look', 'inventory', 'go to shelf 1'],
  admissible_only: true,
});

const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;

function verdict(samples: readonly Sample[]): boolean {
  const quarter = Math.floor(samples.length / 4);
  const [early, late] = [samples.slice(quarter, 2 * quarter), samples.slice(-quarter)];
  const of = (some: readonly Sample[], name: keyof Sample) => median(some.map((each) => each[name]));
  for (const name of ['megabytes', 'threads', 'files'] as const)
    process.stdout.write(
      `${name}: ${of(early, name).toFixed(0)} in the second quarter, ${of(late, name).toFixed(0)} in the last\n`,
    );
  return (
    of(late, 'megabytes') <= 1.15 * of(early, 'megabytes') &&
    of(late, 'threads') <= of(early, 'threads') &&
    of(late, 'files') <= of(early, 'files')
  );
}

const isFlat = verdict(positionals[0] === 'serve' ? await serve() : await train());
rmSync(folder, { recursive: true });
process.exitCode = isFlat ? 0 : 2;
