/** The command as the library sees it. */
import type { Host } from '@emac/experiment';
import type { Io } from './io.ts';
import { progress } from './progress.ts';

/** Clock, environment and progress; without a signal an interruption ends the process. */
export function hostOf(io: Io, signal?: AbortSignal): Host {
  const { now, env } = io;
  return { now, env, listener: progress(io), ...(signal && { signal }) };
}
