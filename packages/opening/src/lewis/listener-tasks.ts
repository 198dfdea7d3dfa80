/** A listener's training tasks: a picture with its own description or another's, rewarded for the right verdict. */
import { promptOf, type Policy, type Random } from '@emac/core';
import { sightOf } from '@emac/rollout';
import {
  consistencyReward,
  listenerFormatReward,
  listenerPrompt,
  readDescription,
  speakerPrompt,
  weightedReward,
  type LewisGame,
  type Speaker,
  type Verdict,
} from '@emac/lewis';
import type { GrpoConfig } from '@emac/settings';
import { gathered } from './gathered.ts';
import { lewisTasks, type LewisTask, type LewisTasks } from './lewis-tasks.ts';
import type { Pictures } from './pictures.ts';

export interface ListenerTasks {
  readonly games: readonly LewisGame[];
  readonly policy: Pick<Policy, 'encode'>;
  readonly pictures: Pictures;
  readonly speaker: Speaker;
  readonly rewards: Pick<GrpoConfig['rewards'], 'verdict'>;
  /** draws the rival */
  readonly random: Random;
}

interface ListenerTask extends LewisTask {
  readonly right: Verdict;
}

/** Two tasks per game: the right candidate, and one of the others. Descriptions are requested once. */
export function listenerTasks(parts: ListenerTasks): LewisTasks {
  const { games, policy, pictures, speaker, rewards, random } = parts;
  const asked = { describe: gathered(speaker.describe) };
  const known = new Map<LewisGame, Promise<string>>();
  const description = (game: LewisGame): Promise<string> => {
    const text = known.get(game) ?? said(asked, game);
    known.set(game, text);
    return text;
  };
  const verdict = rewards.verdict === 'weighted' ? weightedReward : consistencyReward;
  return lewisTasks<ListenerTask>(
    {
      count: 2 * games.length,
      at: async (place) => {
        const game = games[Math.floor(place / 2)]!;
        const right: Verdict = place % 2 === 0 ? 'yes' : 'no';
        const rivals = game.candidates.filter((_, which) => which !== game.label);
        const candidate = right === 'yes' ? game.candidates[game.label]! : random.stream(place).pick(rivals);
        const text = await description(game);
        const features = await sightOf(policy, await pictures(candidate));
        return { prompt: promptOf([features], listenerPrompt(text)), right, solution: right };
      },
    },
    {
      [rewards.verdict]: ({ right }, written) => verdict(written, right),
      format: (_, written) => listenerFormatReward(written),
    },
  );
}

/** The listener's text from a speaker's description of a game's picture. */
export async function said(
  speaker: Pick<Speaker, 'describe'>,
  { image, category }: Pick<LewisGame, 'image' | 'category'>,
): Promise<string> {
  const [written] = await speaker.describe([{ image, question: speakerPrompt(category) }]);
  return readDescription(written!, category).text;
}
