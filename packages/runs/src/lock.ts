/**
 * One process in a run folder at a time. Each that wants in writes a claim of its own and then looks for others: of
 * two that come at once at least one sees the other, so that never both stay. Claims of dead processes are removed.
 * A holder renews its claim, so that one on another machine, whose processes cannot be seen, is known to be dead.
 */
import { readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { canonicalJson, isThere, whileReading, whileWriting, writeFileAtomic } from '@emac/files';
import { isAlive, ownIdentity, type ProcessIdentity } from './process-identity.ts';

export interface RunLock {
  /** throws `cannot-create` when the claim is gone: another machine took this process for dead */
  check(): void;
  release(): void;
}

const prefix = '.lock-';
const renewMs = 10_000;
/** far more than a busy machine delays a renewal */
const staleMs = 180_000;
const secondLookMs = 100;

/** claims of this very process, which cannot be told from one that had its id before where start times are unknown */
const held = new Set<string>();

/** Claims a run folder. Errors: `cannot-create` naming the process that holds it, `io`. */
export function lockRun(folder: string): RunLock {
  const own = ownIdentity();
  const name = `${prefix}${own.pid}-${own.start || 'unknown'}`;
  const path = join(folder, name);
  const text = `${canonicalJson(own)}\n`;
  if (held.has(path)) throw heldBy(folder, own);
  writeClaim(path, text);
  try {
    refuseOthers(folder, name);
  } catch (thrown) {
    rmSync(path, { force: true });
    throw thrown;
  }
  held.add(path);
  const timer = setInterval(() => renew(path, text), renewMs);
  timer.unref();
  return {
    check() {
      if (!isThere(path))
        throw new EmacError(
          'cannot-create',
          `${folder}: another process has taken this run over; it goes on there`,
        );
    },
    release() {
      clearInterval(timer);
      held.delete(path);
      whileWriting(path, () => rmSync(path, { force: true }));
    },
  };
}

/** Once more where the holder, clearing what killed processes left, took away what was half written. */
function writeClaim(path: string, text: string): void {
  try {
    writeFileAtomic(path, text);
  } catch (thrown) {
    if (!(thrown instanceof EmacError) || thrown.code !== 'cannot-create') throw thrown;
    writeFileAtomic(path, text);
  }
}

/** The first by name looks twice: the other may only be about to withdraw. */
function refuseOthers(folder: string, own: string): void {
  const other = liveClaims(folder, own)[0];
  if (!other) return;
  if (own < other.name) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, secondLookMs);
  const still = own < other.name ? liveClaims(folder, own)[0] : other;
  if (still) throw heldBy(folder, still.identity);
}

function liveClaims(folder: string, own: string) {
  const names = whileReading(folder, () => readdirSync(folder)).filter((name) => name.startsWith(prefix));
  const now = statSync(join(folder, own)).mtimeMs;
  return names.flatMap((name) => {
    const path = join(folder, name);
    const identity = name === own ? null : claimIn(path);
    if (!identity) return [];
    const age = now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? -Infinity);
    if (isAlive(identity) ?? age < staleMs) return [{ name, identity }];
    rmSync(path, { force: true });
    return [];
  });
}

/** Null where the claim was withdrawn meanwhile. */
function claimIn(path: string): ProcessIdentity | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ProcessIdentity;
  } catch {
    return null;
  }
}

/** A full disk or an unmounted one shows at the next checkpoint, which says so. */
function renew(path: string, text: string): void {
  try {
    if (isThere(path)) writeFileSync(path, text);
  } catch {
    return;
  }
}

function heldBy(folder: string, { pid, host }: ProcessIdentity): EmacError {
  return new EmacError(
    'cannot-create',
    `${folder}: process ${pid} on ${host} is at work in this run; wait for it or stop it first`,
  );
}
