/** The host of a run: reports on the terminal, notes in its folder, and a tracker. */
import type { Host } from '@emac/opening';
import { noted } from '../run-notes/write-notes.ts';
import { hostOf } from './host.ts';
import type { Io } from './io.ts';
import { tracked, type TrackerName } from './tracked.ts';

export interface RunFlags {
  readonly tracker: TrackerName;
  readonly json: boolean;
  readonly quiet: boolean;
}

/** `close` ends the tracker; `pending` names the work to finish after an interruption. */
export function runHost(
  { tracker, json, quiet }: RunFlags,
  io: Io,
  pending: string,
): { host: Host; close(): Promise<void> } {
  const { listener: own, ...host } = hostOf(io, io.catchInterruption(pending), { json, quiet });
  const { listener, close } = tracked(own!, tracker, io);
  return { host: { ...host, listener: noted(listener, io) }, close };
}
