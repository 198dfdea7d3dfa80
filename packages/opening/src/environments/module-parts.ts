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
    readonly answer: boolean;
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
}

/** Loads the code. Errors: what the code throws; `NoAnswer`. */
export async function loadedIn(thread: ModuleThread): Promise<LoadedModule> {
  return (await thread.call('load')) as LoadedModule;
}

/** Data as exported; functions call the thread. */
export function partsOf(thread: ModuleThread, { parts = {}, calls }: LoadedModule): object {
  const { tasks, tools } = parts;
  const set = (name: string, given: unknown) =>
    isRecord(given) && given['isFunction'] === true
      ? (number: number) => thread.callAndWait('task', name, number)
      : given;
  return {
    ...parts,
    ...(isRecord(tools) && { tools: toolsIn(thread, tools) }),
    tasks: isRecord(tasks)
      ? { training: set('training', tasks['training']), heldOut: set('heldOut', tasks['heldOut']) }
      : tasks,
    ...(calls?.begin && { begin: (task: string, seed: string) => begun(thread, task, seed) }),
    ...(calls?.expert && {
      expert: (task: string, history: unknown) => thread.call('expert', task, history),
    }),
    ...(calls?.prompt && { prompt: (history: unknown) => thread.callAndWait('prompt', history) }),
    ...(calls?.answer && {
      answer: (text: string, { episode }: Begun) => thread.call('answer', episode, text),
    }),
    ...(calls?.anchor && {
      anchor: (history: unknown) => thread.callAndWait('anchor', history),
    }),
  };
}

/** Tools that the thread runs, with what `begin` gave there. */
function toolsIn(thread: ModuleThread, tools: Readonly<Record<string, unknown>>): object {
  const running = ([name, tool]: [string, unknown]) => {
    if (!isRecord(tool) || tool['run'] !== true) return [name, tool] as const;
    const run = (given: unknown, { episode }: Begun) => thread.call('tool', episode, name, given);
    return [name, { ...tool, run }] as const;
  };
  return Object.fromEntries(Object.entries(tools).map(running));
}

async function begun(thread: ModuleThread, task: string, seed: string): Promise<unknown> {
  const { episode, made, hasStep } = (await thread.call('begin', task, seed)) as Begun;
  if (!isRecord(made)) return made;
  return {
    ...made,
    episode,
    ...(hasStep && { step: (action: string) => thread.call('step', episode, action) }),
    // without close the relay only forgets the episode
    close: () => closed(thread, episode),
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
