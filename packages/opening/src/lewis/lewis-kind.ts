/**
 * The Lewis game as an environment kind: an episode is one answer, and the partner is part of the environment. A
 * partner that must be truthful sees drawn concepts; a speaker's partner is the untrained model, as in GRPO training.
 */
import {
  EmacError,
  questionEnvironment,
  quotedTurn,
  wholeAnswers,
  type EnvironmentKind,
  type OpenedKind,
  type Task,
  type TaskSource,
} from '@emac/core';
import { lewisEnvironments } from '@emac/settings';
import type { LewisRounds, LewisWorth } from './lewis-rounds.ts';

const name = 'lewis';

export const lewisKind: EnvironmentKind = {
  name,
  about:
    'a speaker describes pictures, a listener accepts or rejects a description; an episode is one answer',
  ids: lewisEnvironments,
  idOf: (given) => lewisEnvironments.find((id) => id === given) ?? null,
  policy: 'lewis-tiny',
  async open(id, { palette = null, heldOut = null, source, seed = 0 }) {
    if (palette !== null || heldOut !== null)
      throw new EmacError('usage', `${id}: has no ${palette ? 'palette' : 'held-out source'}; leave it out`);
    const { usualRounds } = await import('./lewis-rounds.ts');
    const role = id === 'lewis/speaker' ? 'speaker' : 'listener';
    const { close, ...rounds } = await usualRounds(role, source ?? 'drawn', seed);
    return { ...lewisWorld(id, rounds), close };
  },
};

/** The game of a role, with the worth of its answers. */
interface RoleKind extends OpenedKind {
  /** the right choice of a task, for logs */
  solutionOf(task: Task): string;
  worth(task: Task, answer: string): Promise<LewisWorth>;
}

/** The game of these rounds. With `isRewarded` false its steps pay nothing, and the trainer asks for the worth of answers. */
export function lewisWorld(id: string, { training, heldOut }: LewisRounds, isRewarded = true): RoleKind {
  const isKnown = training.every(({ right }) => right !== null);
  const byId = new Map([...training, ...heldOut].map((round) => [`${id}/${round.name}`, round]));
  const source = (some: LewisRounds['training']): TaskSource => ({
    count: some.length,
    at: (number) => ({ id: `${id}/${some[Number(number)]!.name}`, type: id }),
  });
  const roundOf = ({ id: task }: Task) => {
    const round = byId.get(task);
    if (round) return round;
    throw new EmacError('internal', `${id}: ${task} is not one of its tasks`);
  };
  const rewarded = async (task: Task, answer: string) => {
    const { rewards, won } = await roundOf(task).worth(answer);
    return { reward: Object.values(rewards).reduce((sum, worth) => sum + worth, 0), won };
  };
  return {
    id,
    maxSteps: 1,
    tasks: { training: source(training), heldOut: source(heldOut) },
    hasGoal: true,
    ...questionEnvironment(
      async (task) => {
        const round = roundOf(task);
        const [text, frame] = await Promise.all([round.question(), round.frame()]);
        return { text, frames: [frame], admissible: null };
      },
      isRewarded ? rewarded : undefined,
    ),
    // the published prompt
    speech(_, { observe, dialogue }) {
      if (observe === 'text')
        throw new EmacError('usage', `${id}: needs a policy that reads pictures (observe image or both)`);
      if (dialogue !== 'turns') return wholeAnswers;
      return { ...wholeAnswers, prompt: ({ observation: { text } }) => quotedTurn(text) };
    },
    ...(isKnown && {
      player: { label: async ({ task }) => ({ kind: 'action', command: roundOf(task).right! }) },
    }),
    solutionOf: (task) => roundOf(task).solution,
    worth: (task, answer) => roundOf(task).worth(answer),
  };
}
