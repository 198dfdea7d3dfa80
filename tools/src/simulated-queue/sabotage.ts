/** Promises that can be taken away, one at a time, so that the checks must notice. */
import type { JobQueue, SharedFolder } from '@emac/queue';
import type { Thread, World } from './world.ts';

/** A file of the shared folder: others than its writer see it a moment later. */
export interface SharedFile {
  readonly bytes: Uint8Array;
  readonly seenFrom: number;
  readonly by: string;
}

/** What a sabotage knows of a process. */
export interface Machine {
  readonly main: Thread;
  readonly place: { readonly world: World; readonly files: Map<string, SharedFile> };
}

export interface Sabotage {
  readonly isWithoutRenewal?: boolean;
  /** jobs of dead workers stay with them */
  readonly isWithoutExpiry?: boolean;
  /** a later result replaces the stored one, and counts again */
  readonly isOverwriting?: boolean;
  readonly queue?: (queue: JobQueue, machine: Machine) => JobQueue;
  readonly folder?: (folder: SharedFolder, machine: Machine) => SharedFolder;
}

/** A queue with some of its verbs replaced. */
export function replaced(queue: JobQueue, verbs: Partial<JobQueue>): JobQueue {
  return new Proxy(queue, {
    get(target, name: keyof JobQueue) {
      const verb: unknown = verbs[name] ?? Reflect.get(target, name, target);
      return typeof verb === 'function' && !(name in verbs) ? (verb.bind(target) as unknown) : verb;
    },
  });
}

const never = (): (() => void) => () => {};

/** What is taken away, by its name; those first that the first schedules show. */
export const sabotages: Readonly<Record<string, Sabotage>> = {
  'the expiry of leases': { isWithoutExpiry: true },
  'the check of versions': {
    queue: (queue) =>
      replaced(queue, {
        announced: async () => null,
        async lease(options) {
          const lease = await queue.lease(options);
          return lease && { ...lease, versions: null };
        },
      }),
  },
  'a result is stored before it is handed in': {
    folder: (folder, { place: { files, world }, main }) => ({
      ...folder,
      put(bytes) {
        const known = new Set(files.keys());
        const hash = folder.put(bytes);
        const file = files.get(hash)!;
        if (known.has(hash)) return hash;
        files.delete(hash);
        world.at(world.now + 1_000, main, () => void files.set(hash, file));
        return hash;
      },
    }),
  },
  'lost jobs are put again': {
    queue: (queue, { main: { after } }) =>
      replaced(queue, {
        timers: { after: (ms, action) => (ms < 30_000 ? after(ms, action) : never()) },
        watch: (listen) => queue.watch((news) => news.kind === 'outcome' && listen(news)),
      }),
  },
  'outcomes by name: a job counts under each delivery': {
    queue: (queue, { place: { world } }) =>
      replaced(queue, {
        acknowledge: (lease, result) =>
          queue.acknowledge(lease, { ...(result as object), delivery: world.random.uint32() }),
      }),
  },
  'files appear whole': {
    folder: (folder, { place: { files, world }, main }) => ({
      ...folder,
      put(bytes) {
        const isKnown = (hash: string) => files.get(hash)?.bytes.length === bytes.length;
        const before = new Map(files);
        const hash = folder.put(bytes);
        const file = files.get(hash)!;
        if (before.has(hash) && isKnown(hash)) return hash;
        files.set(hash, { ...file, bytes: file.bytes.slice(0, -1) });
        world.at(world.now + 50, main, () => void files.set(hash, { ...file, bytes }));
        return hash;
      },
    }),
  },
  'a stopped worker returns its lease or ends its job': {
    queue: (queue) => replaced(queue, { lease: () => queue.lease() }),
  },
  'the renewal of leases': { isWithoutRenewal: true },
  'first results count': { isOverwriting: true },
};
