/**
 * Thoughts (ReAct, Yao et al. 2023): an action `think: …` is no command for the environment; it is answered by `OK.`
 * and costs a step. If thoughts are imitated, the policy thinks as it acts. Otherwise thoughts are in the expert's
 * history only.
 */
import type { Episode, History, Label, Step, TrajectoryStep, Turn } from '@emac/core';

const answerToAThought = 'OK.';

/** The same episode, with thoughts answered before they reach it. */
export function withThoughts(episode: Episode): Episode {
  let now: Step = {
    observation: episode.first,
    reward: 0,
    terminated: false,
    truncated: false,
    info: { won: false },
  };
  return {
    task: episode.task,
    first: episode.first,
    step: async (command) => {
      if (!now.terminated && !now.truncated && command.startsWith('think:'))
        return { ...now, reward: 0, observation: { ...now.observation, text: answerToAThought } };
      return (now = await episode.step(command));
    },
    close: () => episode.close(),
  };
}

/** The public history: actions and observations. */
export function historyOf(initial: string, steps: readonly ActedStep[]): History {
  return { initial, turns: steps.map(turnOf) };
}

/** The part of a trajectory's step that a history needs. */
export type ActedStep = Pick<TrajectoryStep, 'action' | 'label'> & {
  readonly result: { readonly observation: { readonly text: string } };
};

/**
 * The expert's own history: its thoughts appear where it had them, each answered. A thought that was its label appears
 * too, even if the policy did something else; the next label then continues from it. Otherwise the expert would repeat
 * one thought to a policy that does not think, until the episode ends.
 */
export function expertHistory(initial: string, steps: readonly ActedStep[]): History {
  const turns = steps.flatMap((step): Turn[] => [
    ...thoughtsBefore(step).map((command) => ({ command, observation: answerToAThought })),
    turnOf(step),
  ]);
  return { initial, turns };
}

function turnOf({ action, result }: ActedStep): Turn {
  return { command: action, observation: result.observation.text };
}

function thoughtsBefore({ label, action }: ActedStep): readonly string[] {
  if (label?.kind !== 'action') return [];
  const had = (label.thoughts ?? []).map((thought) => `think: ${thought}`);
  return isThought(label) && label.command !== action ? [...had, label.command] : had;
}

function isThought(label: Label): boolean {
  return label.kind === 'action' && label.command.startsWith('think:');
}
