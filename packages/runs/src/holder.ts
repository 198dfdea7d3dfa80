/**
 * The process that holds a run, and the run's status, read from outside: claims nothing and changes nothing in the
 * folder.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isThere, whileReading } from '@emac/files';
import { layout } from './layout.ts';
import { claimsIn, staleMs } from './lock.ts';
import { isAlive, type ProcessIdentity } from './process-identity.ts';
import { isDone } from './run.ts';
import { readRecord, type RunStatus } from './run-record.ts';

export interface RunHolder {
  readonly process: ProcessIdentity;
  /**
   * `here`: surely a live process of this machine; `unsure`: a process with this id, on a system without start times;
   * `elsewhere`: a process of another machine or container with a recent claim
   */
  readonly place: 'here' | 'unsure' | 'elsewhere';
}

/**
 * The process that holds a run; null if none. `now` is compared with claims of other machines. Errors: `missing`,
 * `auth`, `io`.
 */
export function holderOf(folder: string, now: Date): RunHolder | null {
  for (const { identity, renewed } of claimsIn(folder)) {
    const isHere = isAlive(identity);
    if (isHere === true) return { process: identity, place: identity.start === '' ? 'unsure' : 'here' };
    if (isHere === null && Math.abs(now.getTime() - renewed) < staleMs)
      return { process: identity, place: 'elsewhere' };
  }
  return null;
}

/** True once a process of this machine has ended, even if its id was reused. */
export function hasEnded(holder: RunHolder): boolean {
  return isAlive(holder.process) === false;
}

export interface RunStanding {
  /** `killed`: run.json says running, but no process holds the run */
  readonly status: RunStatus | 'killed';
  /** why it failed or stopped; null if unknown */
  readonly reason: string | null;
  /** name of the latest checkpoint; null without one */
  readonly checkpoint: string | null;
}

/** How a run stands. Errors: `missing`, `data`, `auth`, `io`. */
export function standingOf(folder: string, now: Date): RunStanding {
  const { status, reason = null } = readRecord(folder);
  const latest = join(folder, layout.checkpoints, layout.latest);
  const checkpoint = isThere(latest) ? whileReading(latest, () => readFileSync(latest, 'utf8')).trim() : null;
  if (isDone(folder)) return { status: 'done', reason: null, checkpoint };
  const isKilled = status === 'running' && holderOf(folder, now) === null;
  return { status: isKilled ? 'killed' : status, reason, checkpoint };
}
