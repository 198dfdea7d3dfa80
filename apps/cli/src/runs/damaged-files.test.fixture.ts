/** Damage to files, and what a command may say of it: as without the damage, or one sentence that names the file. */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isLong } from '@emac/testing';
import type { Captured } from '../captured-io.test.fixture.ts';

export const damages = ['cut', 'flipped', 'empty', 'folder', 'removed'] as const;

export type Damage = (typeof damages)[number];

export function damage(path: string, how: Damage): void {
  const whole = readFileSync(path);
  if (how === 'cut') writeFileSync(path, whole.subarray(0, Math.floor(whole.length / 3)));
  if (how === 'empty') writeFileSync(path, '');
  if (how === 'flipped' && whole.length > 0) {
    whole[Math.floor(whole.length / 2)]! ^= 0x10;
    writeFileSync(path, whole);
  }
  if (how === 'folder' || how === 'removed') rmSync(path);
  if (how === 'folder') mkdirSync(path);
}

export function filesIn(place: string): string[] {
  return readdirSync(place, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(place, name)).isFile())
    .sort();
}

/** Statuses of a file that is wrong, missing or not writable, and of a changed configuration. */
const named = [65, 66, 73, 74, 78];

/** What is wrong with how a command ended after damage to a file; null: nothing. */
export function faultOf({ status, stderr }: Captured, file: string): string | null {
  if (status === 0) return null;
  const lines = stderr.trimEnd().split('\n');
  const [sentence, ...after] = lines.slice(lines.findIndex((each) => each.startsWith('emac: ')));
  const isSaid = named.includes(status) && after.length === 0 && sentence?.includes(basename(file));
  return isSaid ? null : `ends with ${status}: ${[sentence, ...after].join(' | ')}`;
}

/** Each file with each damage; in the short form with one. */
export function damagesIn(place: string): (readonly [file: string, how: Damage])[] {
  return filesIn(place).flatMap((file, index) =>
    (isLong ? damages : [damages[index % damages.length]!]).map((how) => [file, how] as const),
  );
}
