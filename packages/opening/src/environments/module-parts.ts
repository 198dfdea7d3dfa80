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
  };
  /** the export, or the function that was asked for, is one */
  readonly isFunction?: boolean;
  readonly parts?: Readonly<Record<string, unknown>>;
  /** an agent's tasks, exported by this name */
  readonly tasks?: unknown;
}

interface Begun {
  readonly episode: number;
  readonly task: string;
  readonly made: unknown;
  readonly hasStep?: boolean;
}

/** Loads the code, or the function `own` of it. Errors: what the code throws; `NoAnswer`. */
export async function loadedIn(thread: ModuleThread, own?: string): Promise<LoadedModule> {
  return (await thread.call({ call: 'load' }, own)) as LoadedModule;
}

/** Data as exported; functions call the thread. */
export function partsOf(thread: ModuleThread, { parts = {}, calls }: LoadedModule): object {
  const { tasks, tools } = parts;
  const set = (name: string, given: unknown) =>
    isRecord(given) && given['isFunction'] === true
      ? (number: number) => thread.callAndWait({ call: 'task', where: `tasks.${name}` }, name, number)
      : given;
  return {
    ...parts,
    ...(isRecord(tools) && { tools: toolsIn(thread, tools) }),
    tasks: isRecord(tasks)
      ? { training: set('training', tasks['training']), heldOut: set('heldOut', tasks['heldOut']) }
      : tasks,
    ...(calls?.begin && { begin: (task: string, seed: string) => begun(thread, task, seed) }),
    ...(calls?.expert && {
      expert: (task: string, history: unknown) =>
        thread.call({ call: 'expert', where: `expert for ${task}` }, task, history),
    }),
    ...(calls?.prompt && {
      prompt: (history: unknown) => thread.callAndWait({ call: 'prompt', where: 'prompt' }, history),
    }),
    ...(calls?.answer && {
      answer: (text: string, { episode, task }: Begun) =>
        thread.call({ call: 'answer', where: stepOf(task) }, episode, text),
    }),
    ...(calls?.anchor && {
      anchor: (history: unknown) => thread.callAndWait({ call: 'anchor', where: 'anchor' }, history),
    }),
  };
}

/** Tools that the thread runs, with what `begin` gave there. */
function toolsIn(thread: ModuleThread, tools: Readonly<Record<string, unknown>>): object {
  const running = ([name, tool]: [string, unknown]) => {
    if (!isRecord(tool) || tool['run'] !== true) return [name, tool] as const;
    const run = (given: unknown, { episode, task }: Begun) =>
      thread.call({ call: 'tool', where: stepOf(task) }, episode, name, given);
    return [name, { ...tool, run }] as const;
  };
  return Object.fromEntries(Object.entries(tools).map(running));
}

async function begun(thread: ModuleThread, task: string, seed: string): Promise<unknown> {
  const where = `begin(${JSON.stringify(task)})`;
  const { episode, made, hasStep } = (await thread.call({ call: 'begin', where }, task, seed)) as Omit<
    Begun,
    'task'
  >;
  if (!isRecord(made)) return made;
  return {
    ...made,
    episode,
    task,
    ...(hasStep && {
      step: (action: string) => thread.call({ call: 'step', where: stepOf(task) }, episode, action),
    }),
    // without close the relay only forgets the episode
    close: () => closed(thread, { episode, task }),
  };
}

function stepOf(task: string): string {
  return `step of ${task}`;
}

/** An ended thread has nothing to free, and the call that ended it has failed already, unless it is this one. */
async function closed(
  thread: ModuleThread,
  { episode, task }: Pick<Begun, 'episode' | 'task'>,
): Promise<void> {
  const where = `close of ${task}`;
  try {
    await thread.call({ call: 'close', where }, episode);
  } catch (thrown) {
    if (!(thrown instanceof NoAnswer) || thrown.message.startsWith(where)) throw thrown;
  }
}
