/** Sessions opened on first use, kept by name, closed together. */
import type { NetworkSession } from '@emac/backbone';
import { EmacError } from '@emac/core';
import type { RowNetworks } from './row-networks.ts';

export interface LazySessions {
  /** The session of that name, opened on the network made by `build`. Errors: `RowNetworks`' own; `internal` once closed. */
  open(name: string, build: Parameters<RowNetworks['open']>[0]): Promise<NetworkSession>;
  dispose(): Promise<void>;
}

export function lazySessions(networks: RowNetworks): LazySessions {
  const opened = new Map<string, Promise<NetworkSession>>();
  let disposed = false;
  return {
    async open(name, build) {
      if (disposed) throw new EmacError('internal', 'student: is disposed and computes nothing more');
      const session = opened.get(name) ?? networks.open(build);
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
      await networks.dispose();
    },
  };
}
