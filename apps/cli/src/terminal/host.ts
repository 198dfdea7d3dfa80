/** The command from the library's point of view. */
import { both, type Host } from '@emac/opening';
import { say, type Io } from './io.ts';
import { jsonEvents } from './json-events.ts';
import { progress } from './progress.ts';

/** Output of a command in progress. */
export interface Looking {
  /** events as JSON on standard output */
  readonly json?: boolean;
  /** only warnings beside the result */
  readonly quiet?: boolean;
  /** a line for every game as well */
  readonly verbose?: boolean | undefined;
}

/** Clock, environment and progress; without a signal an interruption ends the process. */
export function hostOf(
  io: Io,
  signal?: AbortSignal,
  { json = false, quiet = false, verbose = false }: Looking = {},
): Host {
  const { now, env } = io;
  const words = quiet ? { warning: (line: string) => say(io.stderr, line) } : progress(io, { verbose });
  const listener = json ? both(jsonEvents(io), words) : words;
  return { now, env, listener, ...(signal && { signal }) };
}
