/** What a worker works with: the folder, and the one thing that it has open, since models are large. */
import type { Host } from '@emac/opening';
import type { Handler, SharedFolder } from '@emac/queue';
import type { Players } from './players.ts';

/** Of a plan: a model, an environment. */
export interface Opened {
  dispose(): Promise<void>;
}

export interface Bench {
  readonly folder: SharedFolder;
  readonly host: Pick<Host, 'env' | 'now' | 'signal' | 'environment'>;
  /** where this machine has the model; null for where the run says */
  readonly model: string | null;
  /** what methods play with */
  readonly players: Players;
  /** hears of every job that is done, in words */
  readonly did: (job: string) => void;
  /** What is open under this name; else what was open is closed, and this is opened. */
  opened<T extends Opened>(name: string, open: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Makes the handler of a kind of job. */
export type WorkOf = (bench: Bench) => Handler;

/** A bench with nothing open. */
export function benchOf(parts: Omit<Bench, 'opened' | 'close'>): Bench {
  let current: { readonly name: string; readonly it: Opened } | null = null;
  const close = async (): Promise<void> => {
    const before = current;
    current = null;
    await before?.it.dispose();
  };
  return {
    ...parts,
    close,
    async opened<T extends Opened>(name: string, open: () => Promise<T>): Promise<T> {
      // a name stands for one kind of thing
      if (current?.name === name) return current.it as T;
      await close();
      const it = await open();
      current = { name, it };
      return it;
    },
  };
}
