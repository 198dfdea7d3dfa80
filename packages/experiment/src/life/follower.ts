/** Finds the next run of a chain. */
import { readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { EmacError } from '@emac/core';
import { isThere } from '@emac/files';
import { layout, readRecord } from '@emac/runs';

/** The run after `first`, which may be given as `.`. Unreadable records beside it are skipped and reported. */
export function followerOf(first: string, passedOver: (damage: string) => void): string | null {
  const [out, own] = [dirname(resolve(first)), basename(resolve(first))];
  const follows = (name: string): boolean => {
    if (name === own || name.startsWith('.') || !isThere(join(out, name, layout.run))) return false;
    try {
      return readRecord(join(out, name)).previous === own;
    } catch (thrown) {
      if (!(thrown instanceof EmacError)) throw thrown;
      passedOver(`skipped while looking for the run after ${own}: ${thrown.message}`);
      return false;
    }
  };
  const name = readdirSync(out).sort().find(follows);
  return name === undefined ? null : join(out, name);
}
