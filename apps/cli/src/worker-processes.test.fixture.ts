/** Workers as processes, and a small run for them to play. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { program } from './emac-process.test.fixture.ts';

export interface Worker {
  readonly child: ChildProcess;
  /** the whole output so far */
  said(): string;
  /** resolves once it has written this, or has ended */
  hasSaid(text: RegExp): Promise<void>;
  readonly ended: Promise<number | null>;
}

/** Starts a worker with a short lease; the test's end removes it. */
export function startWorker(words: readonly string[], env: Readonly<Record<string, string>> = {}): Worker {
  const child = spawn(process.execPath, [program, 'worker', ...words, '--lease-seconds', '2'], {
    env: { PATH: process.env['PATH'], ...env },
  });
  let written = '';
  let heard = (): void => {};
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      written += chunk.toString();
      heard();
    });
  const ended = once(child, 'exit').then(([status]) => {
    heard();
    return status as number | null;
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    child,
    ended,
    said: () => written,
    hasSaid: (text) =>
      new Promise((resolve) => {
        heard = () => {
          if (text.test(written) || child.exitCode !== null || child.signalCode !== null) resolve();
        };
        heard();
      }),
  };
}

/** The run in a folder: its files without clock times. */
export function runIn(out: string): { readonly run: string; readonly content: Record<string, string> } {
  const [name] = readdirSync(out);
  const run = join(out, name!);
  return { run, content: contentOf(run) };
}

/** Hashes of a run's files without clock times, by file. */
export function contentOf(run: string): Record<string, string> {
  const files = readdirSync(run, { recursive: true, encoding: 'utf8' })
    .filter((file) => /^(metrics\.jsonl|eval.*\.json|buffers\/.+|checkpoints\/.+\/.+)$/.test(file))
    .sort();
  const hash = (file: string) =>
    createHash('sha256')
      .update(readFileSync(join(run, file)))
      .digest('hex');
  return Object.fromEntries(files.map((file) => [file, hash(file)]));
}

/** A run of two rounds in groups of two, and an evaluation before and after: 16 episodes with those of the probe. */
export const trainingWhole = [
  ...['train', '--phase', 'bc', '--games-per-round', '4', '--rounds', '2', '--max-steps', '6'],
  ...['--episodes-per-update', '2', '--updates-per-episode', '1', '--batch-size', '2', '--beams', '1'],
  ...['--eval-games', '2', '--quiet'],
];

/** The same with gradients in two parts. */
export const training = [...trainingWhole, '--gradient-shards', '2'];

/** Four updates of a speaker, in three groups, with gradients in two parts. */
export const speaking = [
  ...['grpo', '--role', 'speaker', '--updates', '4', '--prompts-per-update', '3', '--num-generations', '3'],
  ...['--prompts-together', '1', '--max-new-tokens', '12', '--listener-reward-mode', 'soft_always'],
  ...['--lora-rank', '2', '--eval-games', '0', '--checkpoint-every', '1', '--json'],
  ...['--gradient-shards', '2'],
];
