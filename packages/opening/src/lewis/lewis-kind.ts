/**
 * The Lewis game as an environment kind: an episode is one answer, and the partner is part of the environment. A
 * partner that must be truthful sees drawn concepts; a speaker's partner is the untrained model, as in GRPO training.
 */
import {
  EmacError,
  quotedTurn,
  type EnvironmentKind,
  type Observation,
  type OpenedKind,
  type Step,
  type Task,
  type TaskSource,
} from '@emac/core';
import { lewisEnvironments } from '@emac/settings';
import type { LewisRounds } from './lewis-rounds.ts';

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
    const { listenerRounds, speakerRounds } = await import('./lewis-rounds.ts');
    const rounds = id === 'lewis/speaker' ? speakerRounds : listenerRounds;
    return opened(id, await rounds(source ?? 'drawn', seed));
  },
};

function opened(id: string, rounds: LewisRounds): OpenedKind {
  const { training, heldOut, player } = rounds;
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
  return {
    id,
    maxSteps: 1,
    tasks: { training: source(training), heldOut: source(heldOut) },
    hasGoal: true,
    async begin(task) {
      const round = roundOf(task);
      const [question, frame] = await Promise.all([round.question(), round.frame()]);
      const first: Observation = { text: question, frames: [frame], admissible: null };
      let over: Step | null = null;
      return {
        task,
        first,
        async step(answer) {
          if (over) return over;
          const { reward, won } = await round.worth(answer);
          return (over = { observation: first, reward, terminated: true, truncated: false, info: { won } });
        },
        close: async () => {},
      };
    },
    // the published prompt; the whole answer is the action
    speech(_, { observe, dialogue }) {
      if (observe === 'text')
        throw new EmacError('usage', `${id}: needs a policy that reads pictures (observe image or both)`);
      return {
        prompt: ({ observation: { text } }) => (dialogue === 'turns' ? quotedTurn(text) : text),
        target: (answer) => answer,
        read: ({ text }) => ({ action: text, actionStart: 0 }),
      };
    },
    ...(player && {
      player: { label: async ({ task }) => ({ kind: 'action', command: player(roundOf(task)) }) },
    }),
    close: () => rounds.close(),
  };
}
