/** A shared folder that each host sees late and in part: what is read is equal or refused. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { afterAll, describe, expect, it } from 'vitest';
import { delayedReads, patience, type Spoil } from './protocol.ts';

const folder = mkdtempSync(join(tmpdir(), 'delayed-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let places = 0;
const reads = (seed: number, longest: number, spoil?: Spoil) =>
  delayedReads(join(folder, String(places++)), { seed, longest, ...(spoil && { spoil }) });

describe('files that another host sees late and in part', () => {
  it('are read whole if they come within the patience', async () => {
    for (let seed = 0; seed < 8; seed++) {
      const { broken, files, torn } = await reads(seed, patience);
      expect(broken).toEqual([]);
      expect(files).toBeGreaterThan(10);
      expect(torn).toBeGreaterThan(5);
    }
  });

  it('are read whole or refused in a sentence if they come later', async () => {
    let refusals = 0;
    for (let seed = 0; seed < 8; seed++) {
      const { broken, refused } = await reads(seed, 60_000);
      expect(broken).toEqual([]);
      refusals += refused.length;
    }
    expect(refusals).toBeGreaterThan(0);
  });

  it.each<[string, Spoil]>([
    [
      'content is not compared with its hash',
      (shared, place) => ({ ...shared, get: (hash) => readFileSync(join(place, hash.slice(0, 2), hash)) }),
    ],
    [
      'a name that is not in a listing counts as gone',
      (shared) => ({
        ...shared,
        get(hash, largest) {
          if (!shared.has(hash)) throw new EmacError('data', 'is not listed');
          return shared.get(hash, largest);
        },
      }),
    ],
    [
      'readers do not wait',
      (shared) => ({ ...shared, timers: { after: (_ms, act) => (queueMicrotask(act), () => {}) } }),
    ],
  ])('are found to be taken wrongly if %s', async (_what, spoil) => {
    const found = [];
    for (let seed = 0; seed < 4; seed++) found.push(...(await reads(seed, patience, spoil)).broken);
    expect(found).not.toEqual([]);
  });
});
