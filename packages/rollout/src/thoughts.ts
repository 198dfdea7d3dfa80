/**
 * Thoughts (ReAct, Yao et al. 2023): an action `think: …` is no command for the environment, is answered by `OK.` and costs
 * a step. Where thoughts are imitated, policies think as they act. Otherwise they live in the expert's history alone.
 */
import type { Environment, Episode, History, Label, Step, TrajectoryStep, Turn } from '@emac/core';

const answerToAThought = 'OK.';

/** The same environment, with thoughts answered and kept from it. */
export function withThoughts(environment: Environment): Environment {
  return {
    tasks: environment.tasks,
    ...(environment.arrivals && { arrivals: environment.arrivals }),
    begin: async (task, seed) => thinkingEpisode(await environment.begin(task, seed)),
  };
}

function thinkingEpisode(episode: Episode): Episode {
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

/** What was done and seen, as anybody knows it. */
export function historyOf(initial: string, steps: readonly ActedStep[]): History {
  return { initial, turns: steps.map(turnOf) };
}

/** A step of a trajectory, as far as a history tells it. */
export type ActedStep = Pick<TrajectoryStep, 'action' | 'label'> & {
  readonly result: { readonly observation: { readonly text: string } };
};

/**
 * The history as the expert knows it: its own thoughts appear where it had them, each answered. So does a thought that was
 * its label, also where the policy did something else: it was had, and the next label goes on from it. Otherwise a
 * policy that does not think would be taught one thought until the episode ends.
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
