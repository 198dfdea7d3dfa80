/**
 * A shared folder as several hosts see it over a network: each has a view of its own, a real folder. A host sees its own files at once. Another
 * host sees a new file late, first perhaps with its old size (none of it or a part) or through a stale handle, whole only later still.
 * What is late is drawn; time is virtual and passes while a reader waits.
 */
import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EmacError, type Random } from '@emac/core';
import { createFolder } from '@emac/files';
import { sharedFolder, type SharedFolder } from '@emac/queue';

export interface Lag {
  /** longest time until another host sees a file whole, in milliseconds */
  readonly longest: number;
  readonly random: Random;
}

/** What a schedule did. */
export interface Tally {
  files: number;
  /** files that were first seen in part, or through a stale handle */
  torn: number;
  waits: number;
}

interface Seen {
  readonly time: number;
  apply(): void;
}

/** Hosts by name, each with its view of one folder, below a new folder `place`. */
export function delayedHosts<Name extends string>(place: string, names: readonly Name[], lag: Lag) {
  const tally: Tally = { files: 0, torn: 0, waits: 0 };
  const [due, stale]: [Seen[], Set<string>] = [[], new Set()];
  let now = 0;
  const pass = (milliseconds: number): void => {
    now += milliseconds;
    due.sort((one, other) => one.time - other.time);
    while (due[0] && due[0].time <= now) due.shift()!.apply();
  };
  const timers: SharedFolder['timers'] = {
    after(milliseconds, action) {
      tally.waits++;
      pass(milliseconds);
      queueMicrotask(action);
      return () => {};
    },
  };
  const pathIn = (host: string, hash: string) => join(place, host, hash.slice(0, 2), hash);
  /** One file as another host comes to see it. */
  const publish = (from: Name, to: Name, hash: string): void => {
    const [source, seen] = [pathIn(from, hash), pathIn(to, hash)];
    const { random, longest } = lag;
    const whole = now + random.integer(longest + 1);
    const named = now + random.integer(whole - now + 1);
    const form = random.pick(['late', 'empty', 'part', 'stale'] as const);
    if (form !== 'late') tally.torn++;
    const appear = (): void => {
      createFolder(dirname(seen));
      const size = form === 'part' ? random.integer(statSync(source).size + 1) : 0;
      writeFileSync(seen, readFileSync(source).subarray(0, size));
      if (form === 'stale') stale.add(seen);
    };
    const complete = (): void => {
      createFolder(dirname(seen));
      copyFileSync(source, seen);
      stale.delete(seen);
    };
    if (form !== 'late') due.push({ time: named, apply: appear });
    due.push({ time: whole, apply: complete });
    pass(0);
  };
  const folderOf = (host: Name): SharedFolder => {
    const own = sharedFolder(join(place, host));
    const published = new Set<string>();
    const heldBack = <T>(read: (hash: string, largest?: number) => T) => {
      return (hash: string, largest?: number): T => {
        const path = pathIn(host, hash);
        if (!stale.has(path)) return read(hash, largest);
        const cause = Object.assign(new Error('stale file handle'), { code: 'ESTALE' });
        throw new EmacError('io', `cannot read ${path}: ESTALE`, { cause });
      };
    };
    return {
      timers,
      has: own.has,
      get: heldBack(own.get),
      file: heldBack(own.file),
      put(bytes) {
        const hash = own.put(bytes);
        if (published.has(hash)) return hash;
        published.add(hash);
        tally.files++;
        for (const other of names) if (other !== host) publish(host, other, hash);
        return hash;
      },
    };
  };
  const hosts = Object.fromEntries(names.map((name) => [name, folderOf(name)])) as Record<Name, SharedFolder>;
  return { hosts, tally };
}
