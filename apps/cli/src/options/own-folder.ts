/** The folder of an evaluation that names none. */
import { join } from 'node:path';
import { partFolder } from '@emac/experiment';
import { isThere } from '@emac/files';
import { runName } from '@emac/runs';
import type { Io } from '../terminal/io.ts';

/** A folder beside the runs, to look at later; it appears once it is complete. */
export function ownFolder(config: object, { now }: Pick<Io, 'now'>): string {
  const name = runName({ phase: 'eval', seed: null, config, time: new Date(now()) });
  const tried = (attempt: number) => join('runs', attempt === 1 ? name : `${name}-${attempt}`);
  let attempt = 1;
  while ([tried(attempt), partFolder(tried(attempt))].some(isThere)) attempt++;
  return `${tried(attempt)}/`;
}
