/**
 * Lets one process at a time hold a folder of a run or of other work. A process writes its own claim and then looks for
 * others. Of two simultaneous processes at least one sees the other, so both never stay. Claims of dead processes are
 * removed. A holder renews its claim, so a dead holder on another machine can be detected.
 */
import { readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { canonicalJson, isThere, whileReading, whileWriting, writeFileAtomic } from '@emac/files';
import { isAlive, ownIdentity, type ProcessIdentity } from './process-identity.ts';

export interface RunLock {
  /** throws `cannot-create` if the claim is gone: another machine considered this process dead; `missing` if the folder is */
  check(): void;
  /** takes the folder's current path, if it was renamed */
  release(folder?: string): void;
}

/** how the name of a claim begins */
export const claimPrefix = '.lock-';
const renewMs = 10_000;
/** far more than a busy machine delays a renewal */
export const staleMs = 180_000;
const secondLookMs = 100;

/** claims of this process: without start times they look like those of an earlier process with the same id */
const held = new Set<string>();

/** Claims a folder; `work` names the activity. Errors: `cannot-create` naming the process that holds it, `io`. */
export function lockRun(folder: string, work = 'run'): RunLock {
  const own = ownIdentity();
  const name = `${claimPrefix}${own.pid}-${own.start || 'unknown'}`;
  const path = join(folder, name);
  const text = `${canonicalJson(own)}\n`;
  if (held.has(path)) throw heldBy(folder, own, work);
  writeClaim(path, text);
  try {
    refuseOthers(folder, name, work);
  } catch (thrown) {
    rmSync(path, { force: true });
    throw thrown;
  }
  held.add(path);
  const timer = setInterval(() => renew(path, text), renewMs);
  timer.unref();
  return {
    check() {
      if (isThere(path)) return;
      if (!isThere(folder))
        throw new EmacError(
          'missing',
          `${folder}: is gone, deleted or moved while this ${work} was under way; a moved one can be resumed at its new place`,
        );
      throw new EmacError(
        'cannot-create',
        `${folder}: another process has taken over this ${work} and continues it`,
      );
    },
    release(now = folder) {
      clearInterval(timer);
      held.delete(path);
      const claim = join(now, name);
      whileWriting(claim, () => rmSync(claim, { force: true }));
    },
  };
}

/** Retries if the holder removed the half-written claim while cleaning up after killed processes. */
function writeClaim(path: string, text: string): void {
  try {
    writeFileAtomic(path, text);
  } catch (thrown) {
    if (!(thrown instanceof EmacError) || thrown.code !== 'cannot-create') throw thrown;
    writeFileAtomic(path, text);
  }
}

/** The first by name looks twice: the other may only be about to withdraw. */
function refuseOthers(folder: string, own: string, work: string): void {
  const other = liveClaims(folder, own)[0];
  if (!other) return;
  if (own < other.name) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, secondLookMs);
  const still = own < other.name ? liveClaims(folder, own)[0] : other;
  if (still) throw heldBy(folder, still.identity, work);
}

function liveClaims(folder: string, own: string) {
  const now = statSync(join(folder, own)).mtimeMs;
  return claimsIn(folder).filter(({ name, path, identity, renewed }) => {
    if (name === own) return false;
    const isHeld = isAlive(identity) ?? Math.abs(now - renewed) < staleMs;
    if (!isHeld) rmSync(path, { force: true });
    return isHeld;
  });
}

export interface Claim {
  readonly name: string;
  readonly path: string;
  readonly identity: ProcessIdentity;
  /** milliseconds since 1970, by the clock of the file system */
  readonly renewed: number;
}

/** The claims in a run folder, those of dead processes too. Errors: `missing`, `auth`, `io`. */
export function claimsIn(folder: string): Claim[] {
  const names = whileReading(folder, () => readdirSync(folder)).filter((name) =>
    name.startsWith(claimPrefix),
  );
  return names.flatMap((name) => {
    const path = join(folder, name);
    const identity = claimIn(path);
    const renewed = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? -Infinity;
    return identity ? [{ name, path, identity, renewed }] : [];
  });
}

/** Null if the claim was withdrawn meanwhile. */
function claimIn(path: string): ProcessIdentity | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ProcessIdentity;
  } catch {
    return null;
  }
}

/** Ignores errors: a full or unmounted disk is reported by the next checkpoint. */
function renew(path: string, text: string): void {
  try {
    if (isThere(path)) writeFileSync(path, text);
  } catch {
    return;
  }
}

function heldBy(folder: string, { pid, host }: ProcessIdentity, work: string): EmacError {
  return new EmacError(
    'cannot-create',
    `${folder}: process ${pid} on ${host} is using this ${work}; wait for it or stop it first`,
  );
}
