/** A worker's tools: the shared folder, and the one plan it has open, since models are large. */
import type { Host } from '@emac/opening';
import type { Handler, SharedFolder } from '@emac/queue';
import type { Players } from './players.ts';

/** Resources opened for a plan: a model, an environment. */
export interface Opened {
  dispose(): Promise<void>;
}

export interface Bench {
  readonly folder: SharedFolder;
  readonly host: Pick<Host, 'env' | 'now' | 'signal' | 'environment'>;
  /** path of the model on this machine; null: the run's path */
  readonly model: string | null;
  /** opens the policies of each method */
  readonly players: Players;
  /** called for every finished job, with a description */
  readonly did: (job: string) => void;
  /** The open resource of this name; if another is open, closes it and opens this one. */
  opened<T extends Opened>(name: string, open: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Makes the handler of a job kind. */
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
      // a name stands for one type of resource
      if (current?.name === name) return current.it as T;
      await close();
      const it = await open();
      current = { name, it };
      return it;
    },
  };
}
