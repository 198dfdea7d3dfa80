/** A speaker's training tasks: pictures to describe, rewarded by the listener's choice. */
import type { Reward } from '@emac/algorithms';
import { promptOf, type Policy, type Prompt } from '@emac/core';
import { sightOf } from '@emac/rollout';
import {
  accuracyReward,
  formatReward,
  lengthReward,
  listenerQuestion,
  overlapReward,
  readDescription,
  scoreCandidates,
  speakerPrompt,
  type CandidateScores,
  type LewisGame,
  type Listener,
} from '@emac/lewis';
import type { GrpoConfig } from '@emac/settings';
import { gathered } from './gathered.ts';
import { lewisTasks, type LewisTask, type LewisTasks } from './lewis-tasks.ts';
import type { Pictures } from './pictures.ts';

export interface SpeakerTasks {
  readonly games: readonly LewisGame[];
  readonly policy: Pick<Policy, 'encode'>;
  readonly pictures: Pictures;
  readonly listener: Listener;
  readonly rewards: GrpoConfig['rewards'];
}

interface SpeakerTask extends LewisTask {
  readonly game: LewisGame;
}

/** One task for every game. */
export function speakerTasks({ games, policy, pictures, listener, rewards }: SpeakerTasks): LewisTasks {
  const asked = { score: gathered(listener.score) };
  const { accuracy, format, length, overlap } = rewards;
  const accurate: Reward<SpeakerTask> = async ({ game }, written) => {
    const { text } = readDescription(written, game.category);
    return accuracyReward(await heard(asked, game, text), game.label, accuracy);
  };
  return lewisTasks<SpeakerTask>(
    {
      count: games.length,
      at: async (place) => {
        const game = games[place]!;
        const prompt: Prompt = promptOf(
          [await sightOf(policy, await pictures(game.image))],
          speakerPrompt(game.category),
        );
        return { prompt, game, solution: String(game.label) };
      },
    },
    {
      accuracy: accurate,
      format: (_, written) => formatReward(written, format),
      ...(length !== 'none' && {
        length: ({ game }: SpeakerTask, written: string) =>
          lengthReward(readDescription(written, game.category), length),
      }),
      ...(overlap && {
        overlap: ({ game }: SpeakerTask, written: string) =>
          overlapReward(readDescription(written, game.category)),
      }),
    },
  );
}

/** The listener's scores for a description. */
export async function heard(
  listener: Pick<Listener, 'score'>,
  { candidates }: Pick<LewisGame, 'candidates'>,
  description: string,
): Promise<CandidateScores> {
  const [probabilities] = await listener.score([{ candidates, question: listenerQuestion(description) }]);
  return scoreCandidates(probabilities!);
}
