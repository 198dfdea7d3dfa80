/** The export of a module in a thread, as an object with the same parts. */
import { isRecord } from './module-faults.ts';
import { NoAnswer, type ModuleThread } from './module-thread.ts';

/** The relay's description of an export. */
export interface LoadedModule {
  readonly isMissing?: boolean;
  /** a kind, which shares functions with the trainer */
  readonly isWhole?: boolean;
  /** names of all exports */
  readonly names: readonly string[];
  readonly calls?: {
    readonly begin: boolean;
    readonly expert: boolean;
    readonly anchor: boolean;
    readonly prompt: boolean;
    /** a policy's function, or a method of that name */
    readonly act: boolean;
  };
  readonly parts?: Readonly<Record<string, unknown>>;
  /** an agent's tasks, exported by this name */
  readonly tasks?: unknown;
}

interface Begun {
  readonly episode: number;
  readonly made: unknown;
  readonly hasStep?: boolean;
  readonly hasClose?: boolean;
}

/** Loads the code. Errors: what the code throws; `NoAnswer`. */
export async function loadedIn(thread: ModuleThread): Promise<LoadedModule> {
  return (await thread.call('load')) as LoadedModule;
}

/** Data as exported; functions call the thread. */
export function partsOf(thread: ModuleThread, { parts = {}, calls }: LoadedModule): object {
  const { tasks } = parts;
  const set = (name: string, given: unknown) =>
    isRecord(given) && given['isFunction'] === true
      ? (number: number) => thread.callAndWait('task', name, number)
      : given;
  return {
    ...parts,
    tasks: isRecord(tasks)
      ? { training: set('training', tasks['training']), heldOut: set('heldOut', tasks['heldOut']) }
      : tasks,
    ...(calls?.begin && { begin: (task: string, seed: string) => begun(thread, task, seed) }),
    ...(calls?.expert && {
      expert: (task: string, history: unknown) => thread.call('expert', task, history),
    }),
    ...(calls?.prompt && { prompt: (history: unknown) => thread.callAndWait('prompt', history) }),
    ...(calls?.anchor && {
      anchor: (history: unknown) => thread.callAndWait('anchor', history),
    }),
  };
}

async function begun(thread: ModuleThread, task: string, seed: string): Promise<unknown> {
  const { episode, made, hasStep, hasClose } = (await thread.call('begin', task, seed)) as Begun;
  if (!isRecord(made)) return made;
  return {
    ...made,
    ...(hasStep && { step: (action: string) => thread.call('step', episode, action) }),
    // without close the relay only forgets the episode
    close: () => (hasClose || hasStep ? closed(thread, episode) : undefined),
  };
}

/** An ended thread has nothing to free, and the call that ended it has failed already. */
async function closed(thread: ModuleThread, episode: number): Promise<void> {
  try {
    await thread.call('close', episode);
  } catch (thrown) {
    if (!(thrown instanceof NoAnswer)) throw thrown;
  }
}
