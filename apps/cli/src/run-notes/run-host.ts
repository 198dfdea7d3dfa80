/** The host of a run: reports on the terminal, notes in its folder, and a tracker. */
import type { Host } from '@emac/opening';
import { noted } from './write-notes.ts';
import { hostOf } from '../terminal/host.ts';
import type { Io } from '../terminal/io.ts';
import { tracked, type TrackerName } from '../terminal/tracked.ts';

export interface RunFlags {
  readonly tracker: TrackerName;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose?: boolean;
  readonly 'run-name'?: string | null;
}

/** `close` ends the tracker; `pending` names the work to finish after an interruption. */
export function runHost(
  { tracker, json, quiet, verbose, 'run-name': title }: RunFlags,
  io: Io,
  pending: string,
): { host: Host; close(): Promise<void> } {
  const { listener: own, ...host } = hostOf(io, io.catchInterruption(pending), { json, quiet, verbose });
  const { listener, close } = tracked(own!, tracker, io);
  return {
    host: stoppingAt({ ...host, ...(title != null && { title }), listener: noted(listener, io) }, io),
    close,
  };
}

/** Of a sweep: the update after which its run is interrupted. */
export const stopAtUpdate = 'EMAC_STOP_AT_UPDATE';

/** Interrupts the run itself, so that its checkpoint is that of this update whatever the clock says. */
function stoppingAt(host: Host, { env }: Io): Host {
  const last = Number(env[stopAtUpdate]);
  if (!(last > 0)) return host;
  const stop = new AbortController();
  const { listener, signal } = host;
  return {
    ...host,
    signal: signal ? AbortSignal.any([signal, stop.signal]) : stop.signal,
    listener: {
      ...listener,
      reinforced(line) {
        listener?.reinforced?.(line);
        if (line.update + 1 >= last) stop.abort();
      },
    },
  };
}
