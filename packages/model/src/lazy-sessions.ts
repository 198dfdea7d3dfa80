/** Sessions opened when they are first needed, kept by name, closed together. */
import { EmacError } from '@emac/core';
import { createSession, type Graph, type Session, type SessionOptions } from '@emac/graph';

export interface LazySessions {
  /** The session of that name, opened on the graph that `build` gives. Errors: those of `createSession`; `internal` once closed. */
  open(name: string, build: () => Graph): Promise<Session>;
  dispose(): Promise<void>;
}

export function lazySessions(options: SessionOptions): LazySessions {
  const opened = new Map<string, Promise<Session>>();
  let disposed = false;
  return {
    async open(name, build) {
      if (disposed) throw new EmacError('internal', 'student: it is disposed and computes nothing more');
      const session = opened.get(name) ?? createSession(build(), options);
      opened.set(name, session);
      session.catch(() => opened.delete(name));
      return session;
    },
    async dispose() {
      disposed = true;
      const settled = await Promise.allSettled(opened.values());
      opened.clear();
      await Promise.all(
        settled.map((each) => (each.status === 'fulfilled' ? each.value.dispose() : undefined)),
      );
    },
  };
}
