/**
 * Closed sessions that are opened again: a program that opens equal networks again and again, such as a suite of tests, spends
 * a fifth of its time while ONNX Runtime prepares their graphs. Off unless asked for, since each holds its network's memory.
 */
import { startSha256, statSync } from '@emac/platform';
import type { Model, RunningThread } from './running-thread.ts';

let most = 0;

/**
 * From now on the shared worker thread stays, and up to `count` closed sessions on the CPU in it. The next session of an
 * equal graph with equal options and unchanged weight files is one of these.
 */
export function keepSessions(count: number): void {
  most = count;
}

/** Whether closed sessions are kept. */
export const keepsSessions = (): boolean => most > 0;

/** The thread, whose released sessions are kept while `keepSessions` says so. */
export function keeping(thread: RunningThread): RunningThread {
  /** closed sessions by key, the longest closed first */
  const idle: { readonly key: string; readonly kept: number }[] = [];
  /** open sessions: what they are on the thread */
  const open = new Map<number, { readonly key: string; readonly kept: number }>();
  const numberOf = (session: number): number => open.get(session)?.kept ?? session;
  return {
    ...thread,
    async create(session, model, options) {
      if (!keepsSessions() || !isKept(options)) return thread.create(session, model, options);
      const key = keyOf(model, options);
      const place = idle.findIndex((each) => each.key === key);
      const [again] = place < 0 ? [] : idle.splice(place, 1);
      if (!again) await thread.create(session, model, options);
      open.set(session, again ?? { key, kept: session });
    },
    run: (session, feeds, wanted) => thread.run(numberOf(session), feeds, wanted),
    async release(session) {
      const its = open.get(session);
      open.delete(session);
      if (!its) return thread.release(session);
      idle.push(its);
      // waits for its runs, as a release does
      await thread.forget([]);
      while (idle.length > most) await thread.release(idle.shift()!.kept);
    },
  };
}

interface RuntimeOptions {
  readonly executionProviders?: readonly string[];
  readonly enableProfiling?: boolean;
}

function isKept({ executionProviders, enableProfiling }: RuntimeOptions): boolean {
  return executionProviders?.[0] === 'cpu' && !enableProfiling;
}

function keyOf({ bytes, weights = [] }: Model, options: object): string {
  const files = weights.map((path) => {
    const { ino, size, mtimeNs } = statSync(path, { bigint: true });
    return `${path} ${ino} ${size} ${mtimeNs}`;
  });
  return startSha256()
    .update(bytes)
    .update(JSON.stringify([options, files]))
    .digest('hex');
}
