/** Starts the labelling process from compiled code. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Done, Told } from './label-process.bench.ts';

export const compiled = fileURLToPath(new URL('../../dist/bench/label-process.bench.js', import.meta.url));

/** Runs to the end. */
export function labelRun(told: Told): Promise<Done> {
  return started(told).ended.then((output) => JSON.parse(output) as Done);
}

/** Runs until that many replies are journaled, then kills it; returns the journal's texts. */
export async function killedRun(told: Told, atReplies: number): Promise<readonly string[]> {
  const { child, ended } = started(told);
  while (child.exitCode === null && textsOf(told.journal).length < atReplies)
    await new Promise((resolve) => setTimeout(resolve, 5));
  child.kill('SIGKILL');
  await ended;
  return textsOf(told.journal);
}

function started(told: Told) {
  const child = spawn(process.execPath, [compiled, JSON.stringify(told)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return { child, ended: new Promise<string>((resolve) => child.on('close', () => resolve(output))) };
}

/** of complete lines */
function textsOf(journal: string): string[] {
  if (!existsSync(journal)) return [];
  const lines = readFileSync(journal, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => (JSON.parse(line) as { text: string }).text);
}
