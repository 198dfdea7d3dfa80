/**
 * Thoughts (ReAct, Yao et al. 2023): an action `think: …` is no command for the world, is answered by `OK.` and costs a
 * step. Where thoughts are imitated, students think as they act. Otherwise they live in the expert's history alone.
 */
import type { Episode, History, Step, Turn, WorldSource } from '@emac/core';

const answerToAThought = 'OK.';

/** The same supply of episodes, with thoughts answered and kept from the world. */
export function withThoughts(source: WorldSource): WorldSource {
  return {
    next: async () => {
      const episode = await source.next();
      return episode && thinkingEpisode(episode);
    },
  };
}

function thinkingEpisode(episode: Episode): Episode {
  const { frame, admissible } = episode;
  const first = { ...(frame && { frame }), ...(admissible && { admissible }) };
  let now: Step = { ...first, observation: episode.observation, score: 0, done: false, won: false };
  return {
    ...episode,
    step: async (command) => {
      if (!now.done && command.startsWith('think:')) return { ...now, observation: answerToAThought };
      return (now = await episode.step(command));
    },
    skip: () => episode.skip(),
  };
}

/** What was done, what the expert would have done, and what it thought before it said so. */
export interface ThoughtOver extends Turn {
  readonly thoughts?: readonly string[];
  readonly label?: string | null;
}

/**
 * The history as the expert knows it: its own thoughts stand where it had them, each answered. So does a thought that was
 * its label, also where the student did something else: it was had, and the next label goes on from it. Otherwise a
 * student that does not think would be taught one thought until the episode ends.
 */
export function expertHistory(initial: string, steps: readonly ThoughtOver[]): History {
  const turns = steps.flatMap((step): Turn[] => [
    ...thoughtsBefore(step).map((command) => ({ command, observation: answerToAThought })),
    { command: step.command, observation: step.observation },
  ]);
  return { initial, turns };
}

function thoughtsBefore({ thoughts = [], label, command }: ThoughtOver): readonly string[] {
  const had = thoughts.map((thought) => `think: ${thought}`);
  return label?.startsWith('think:') && label !== command ? [...had, label] : had;
}
