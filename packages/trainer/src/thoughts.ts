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

/** What was done, and what the expert thought before it said what it would have done. */
export interface ThoughtOver extends Turn {
  readonly thoughts?: readonly string[];
}

/** The history as the expert knows it: its own thoughts stand where it had them, each answered. */
export function expertHistory(initial: string, steps: readonly ThoughtOver[]): History {
  const turns = steps.flatMap(({ thoughts = [], command, observation }): Turn[] => [
    ...thoughts.map((thought) => ({ command: `think: ${thought}`, observation: answerToAThought })),
    { command, observation },
  ]);
  return { initial, turns };
}
