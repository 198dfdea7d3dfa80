/** The small training that is disturbed: both phases in one command, taught and reflected on by a language model. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { LanguageServer } from './language-server.ts';

/** `--phase bc,dpo`, 2 rounds of 2 games of 4 steps, 2 updates after each. */
export function begin(out: string, server: LanguageServer, keep: string): string[] {
  const numbers =
    '--rounds 2 --games-per-round 2 --max-steps 4 --updates-per-episode 2 --beams 1 --eval-games 1';
  const expert = ['--expert', 'openai', '--expert-model', 'stand-in', '--expert-base-url', server.address];
  return ['train', '--phase', 'bc,dpo', ...numbers.split(' '), ...expert, '--keep', keep, '--out', out];
}

/** Begins, or goes on with the run of the first phase where there is one. */
export function beginOrResume(out: string, server: LanguageServer, keep: string): string[] {
  const [first] = runsIn(out);
  return first === undefined ? begin(out, server, keep) : ['train', '--resume', first];
}

/** The run folders, the first phase first. */
export function runsIn(out: string): string[] {
  if (!existsSync(out)) return [];
  return readdirSync(out)
    .filter((name) => !name.startsWith('.'))
    .sort((a, b) => Number(a.includes('-dpo-')) - Number(b.includes('-dpo-')))
    .map((name) => join(out, name));
}
