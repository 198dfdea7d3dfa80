/** The tasks of an OpenEnv server: those that it lists by split and number, else a seed for each. */
import { seededTasks, type OpenedKind, type Task, type TaskSource } from '@emac/core';

/** Answers a route with its JSON; null for a refusal or nothing. Errors: `data` for an answer beyond the limits. */
export type AskRoute = (path: string, body?: object) => Promise<unknown>;

export interface RemoteTasks {
  readonly tasks: OpenedKind['tasks'];
  /** What a reset says for a task; `seed`: a number from the attempt's seed. */
  resetOf(task: Task, seed: number): Readonly<Record<string, unknown>>;
}

/** `name`: short, for the ids of tasks. */
export async function remoteTasks(name: string, ask: AskRoute): Promise<RemoteTasks> {
  const listed = await listedTasks(ask);
  if (listed) return listed;
  return {
    tasks: seededTasks(name),
    // a task's seed ends its name
    resetOf: ({ id }) => ({ seed: Number(id.slice(id.lastIndexOf('/') + 1)) }),
  };
}

interface Place {
  readonly split: string;
  readonly index: number;
}

/** Null unless the server has a split to train on and another one. */
async function listedTasks(ask: AskRoute): Promise<RemoteTasks | null> {
  const [env] = listOf(await ask('/list_environments'));
  // half of a surrogate pair has no place in an address
  if (typeof env !== 'string' || /\p{Cs}/u.test(env)) return null;
  const route = `/${encodeURIComponent(env)}`;
  const splits = listOf(await ask(`${route}/splits`)).map(
    (each) => each as { name?: unknown; type?: unknown },
  );
  const training = splits.find(({ type }) => type === 'train');
  const heldOut =
    splits.find(({ type }) => type === 'test') ?? splits.find(({ type }) => type === 'validation');
  if (!training || !heldOut) return null;
  const places = new Map<string, Place>();
  const [ofTraining, ofHeldOut] = [
    await sourceOf({ ask, route, split: String(training.name), places }),
    await sourceOf({ ask, route, split: String(heldOut.name), places }),
  ];
  if (!ofTraining || !ofHeldOut) return null;
  return {
    tasks: { training: ofTraining, heldOut: ofHeldOut },
    resetOf: ({ id }, seed) => ({ seed, ...(places.get(id) ?? placeIn(id)) }),
  };
}

interface Listing {
  readonly ask: AskRoute;
  readonly route: string;
  readonly split: string;
  /** split and number of every named task, by its id */
  readonly places: Map<string, Place>;
}

/** Null if the split has no tasks. */
async function sourceOf({ ask, route, split, places }: Listing): Promise<TaskSource | null> {
  const answer = await ask(`${route}/num_tasks`, { split });
  const { num_tasks: count } = (answer ?? {}) as { num_tasks?: unknown };
  const isCounted = Number.isSafeInteger(count) && (count as number) > 0;
  if (!isCounted && count !== null) return null;
  const answered = isCounted
    ? ((await ask(`${route}/tasks`, { split })) as { tasks?: unknown } | null)
    : null;
  const named = listOf(answered?.tasks);
  const taskOf = (index: number): Task => {
    const { id = index, type = null } = (named[index] ?? {}) as { id?: unknown; type?: unknown };
    return { id: `${split}/${String(id)}`, type: typeof type === 'string' ? type : null };
  };
  // another process knows a task by its id alone
  named.forEach((_, index) => places.set(taskOf(index).id, { split, index }));
  return { count: isCounted ? (count as number) : null, at: (number) => taskOf(Number(number)) };
}

/** Of a task without a name of its own: split and number are its id. */
function placeIn(id: string): Place {
  const slash = id.lastIndexOf('/');
  return { split: id.slice(0, slash), index: Number(id.slice(slash + 1)) };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
