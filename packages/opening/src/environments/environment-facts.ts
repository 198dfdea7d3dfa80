/** What there is to know about an environment before it is played, for people who choose one. */
import type { EnvironmentKind, LocalWorld, Observation, OpenedKind, Task } from '@emac/core';

/** The parts of an observation. */
export type Sense = 'text' | 'picture' | 'arrays';

export interface EnvironmentFacts {
  readonly id: string;
  /** offered actions, of the first step where they change; null: any text */
  readonly actions: readonly string[] | null;
  /** step limit; for a robot that of the hand with words */
  readonly steps: number;
  /** step limit of a robot that is moved by seven numbers */
  readonly robot_steps?: number;
  /** null: one for every seed */
  readonly training_tasks: number | null;
  readonly held_out_tasks: number | null;
  /** lowest and highest reward of a step; null: not declared */
  readonly rewards: readonly [number, number] | null;
  /** whether a scripted player knows the right action */
  readonly player: boolean;
  readonly shows: readonly Sense[];
}

/** An environment and the first observation of its first training task. */
export interface ShownEnvironment {
  readonly facts: EnvironmentFacts;
  readonly task: Task;
  readonly first: Observation;
}

/** The facts of every id of a kind; of one that does not run here, only the ids. Errors: those of opening it. */
export async function factsOfKind(
  kind: EnvironmentKind,
): Promise<readonly (EnvironmentFacts | Pick<EnvironmentFacts, 'id'>)[]> {
  const { ids, local, isElsewhere = false } = kind;
  if (isElsewhere) return ids.map((id) => ({ id }));
  if (local) return ids.map((id) => factsOfWorld(local(id)));
  return Promise.all(ids.map(async (id) => (await shownEnvironment(kind, id)).facts));
}

/** Opens the environment and begins its first training task. Errors: those of opening and beginning it. */
export async function shownEnvironment(kind: EnvironmentKind, id: string): Promise<ShownEnvironment> {
  const opened = await kind.open(id, { maxSteps: null });
  try {
    const task = opened.tasks.training.at(0);
    const first = await firstOf(opened, task);
    const facts = kind.local ? factsOfWorld(kind.local(id)) : factsOf(opened, first);
    return { facts: { ...facts, shows: sensesOf(first) }, task, first };
  } finally {
    await opened.close?.();
  }
}

/** The first observation of a task. */
export async function firstOf({ begin }: Pick<OpenedKind, 'begin'>, task: Task): Promise<Observation> {
  const episode = await begin(task, '0');
  await episode.close();
  return episode.first;
}

/** The parts that an observation has. */
export function sensesOf({ text, frames, arrays }: Observation): Sense[] {
  const has = { text: text !== '', picture: frames.length > 0, arrays: Object.keys(arrays ?? {}).length > 0 };
  return (['text', 'picture', 'arrays'] as const).filter((sense) => has[sense]);
}

function factsOf({ id, maxSteps, tasks, rewards, player }: OpenedKind, first: Observation): EnvironmentFacts {
  return {
    id,
    actions: first.admissible,
    steps: maxSteps,
    training_tasks: tasks.training.count,
    held_out_tasks: tasks.heldOut.count,
    rewards: rewards ?? null,
    player: player !== undefined,
    shows: sensesOf(first),
  };
}

function factsOfWorld({
  id,
  actions,
  offered,
  maxSteps,
  tasks,
  rewards,
  moved,
}: LocalWorld): EnvironmentFacts {
  return {
    id,
    actions: offered.map((action) => actions[action]!),
    steps: maxSteps,
    ...(moved && { robot_steps: moved.maxSteps }),
    training_tasks: tasks.training.count,
    held_out_tasks: tasks.heldOut.count,
    rewards: rewards ?? null,
    player: true,
    // every world with numbered actions has all three
    shows: ['text', 'picture', 'arrays'],
  };
}
