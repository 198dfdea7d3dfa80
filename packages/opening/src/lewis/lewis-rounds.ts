/**
 * Single questions of the Lewis game with rewards: for a listener about a description, for a speaker about a picture.
 */
import { Random, type Frame } from '@emac/core';
import {
  accuracyReward,
  consistencyReward,
  formatReward,
  lengthReward,
  listenerFormatReward,
  listenerPrompt,
  readDescription,
  speakerPrompt,
  thingOf,
  trueDescription,
  type LewisGame,
  type Verdict,
} from '@emac/lewis';
import { grpoConfig, untrained } from '@emac/settings';
import { plainHost } from '../host.ts';
import { said } from './listener-tasks.ts';
import { openListener, openSpeaker } from './open-agents.ts';
import { heldOutGames, openLewisWorld, trainingGames, type LewisWorld } from './pictures.ts';
import { heard } from './speaker-tasks.ts';

export interface LewisRound {
  /** unique among training and held-out rounds */
  readonly name: string;
  /** a perfect player's answer; null if the picture's concept is unknown */
  readonly right: string | null;
  question(): Promise<string>;
  frame(): Promise<Frame>;
  worth(answer: string): Promise<{ readonly reward: number; readonly won: boolean }>;
}

export interface LewisRounds {
  readonly training: readonly LewisRound[];
  readonly heldOut: readonly LewisRound[];
  /** the right answer; null if unknown */
  readonly player: ((round: LewisRound) => string) | null;
  /** Lets the partner go. */
  close(): Promise<void>;
}

const settings = (role: 'listener' | 'speaker', pictures: string) => grpoConfig({ role, game: { pictures } });

/**
 * Two rounds of every game: the right candidate, and another. Descriptions are true for drawn pictures, else the
 * model's. The seed applies to training games. Errors: those of pictures.
 */
export async function listenerRounds(pictures: string, seed: number): Promise<LewisRounds> {
  const config = settings('listener', pictures);
  const { world, games } = await openedGames(config, seed);
  const name = world.folder === null ? 'true' : untrained;
  const speaker = onceOpened(() =>
    openSpeaker({ ...placeIn(world), name, model: config.model }, plainHost()),
  );
  const roundsOf = (game: LewisGame, right: Verdict, rivals: Random): LewisRound => {
    const others = game.candidates.filter((_, place) => place !== game.label);
    const shown = right === 'yes' ? game.candidates[game.label]! : rivals.stream(game.image).pick(others);
    return {
      name: `${game.image}/${right}`,
      right: `\`\`\`json\n{"Reasoning": "The picture shows ${right === 'yes' ? 'that' : 'another thing'}.", "Answer": "${right}"}\n\`\`\``,
      question: async () => listenerPrompt(await said((await speaker.opened()).agent, game)),
      frame: () => world.pictures(shown),
      worth: async (answer) => {
        const verdict = consistencyReward(answer, right);
        return { reward: verdict + listenerFormatReward(answer), won: verdict === 1 };
      },
    };
  };
  const both = (some: readonly LewisGame[], drawn: number) => {
    const rivals = Random.fromSeed(drawn).stream('rivals');
    return some.flatMap((game) => [roundsOf(game, 'yes', rivals), roundsOf(game, 'no', rivals)]);
  };
  return roundsFrom(both(games.training, seed), both(games.heldOut, heldOutSeed), speaker.close);
}

/**
 * One round of every game, with the untrained model as listener. The seed is of training games. Errors: those of
 * pictures.
 */
export async function speakerRounds(pictures: string, seed: number): Promise<LewisRounds> {
  const config = settings('speaker', pictures);
  const { world, games } = await openedGames(config, seed);
  const place = { ...placeIn(world), name: untrained, model: config.model };
  const listener = onceOpened(() => openListener(place, plainHost()));
  const roundOf = (game: LewisGame): LewisRound => ({
    name: game.image,
    right: world.folder === null ? trueDescription(thingOf(game.image)) : null,
    question: async () => speakerPrompt(game.category),
    frame: () => world.pictures(game.image),
    worth: async (answer) => {
      const description = readDescription(answer, game.category);
      const accuracy = accuracyReward(
        await heard((await listener.opened()).agent, game, description.text),
        game.label,
      );
      return { reward: accuracy + formatReward(answer) + lengthReward(description), won: accuracy === 1 };
    },
  });
  return roundsFrom(games.training.map(roundOf), games.heldOut.map(roundOf), listener.close);
}

function roundsFrom(
  training: readonly LewisRound[],
  heldOut: readonly LewisRound[],
  close: LewisRounds['close'],
): LewisRounds {
  const isKnown = training.every(({ right }) => right !== null);
  return { training, heldOut, player: isKnown ? ({ right }) => right! : null, close };
}

/** of held-out games, which compare runs */
const heldOutSeed = 0;

/** The split and the held-out games of a run of GRPO. */
async function openedGames({ game }: Pick<ReturnType<typeof settings>, 'game'>, seed: number) {
  const world = await openLewisWorld(game);
  const heldOut = { candidates: game.candidates, games: Infinity };
  return {
    world,
    games: {
      training: trainingGames(world, game, Random.fromSeed(seed).stream('games')),
      heldOut: heldOutGames(world, heldOut, Random.fromSeed(heldOutSeed).stream('evaluation')),
    },
  };
}

function placeIn({ pictures, folder }: LewisWorld) {
  return { pictures, folder };
}

/** A partner opened at its first question. */
function onceOpened<T extends { dispose(): Promise<void> }>(open: () => Promise<T>) {
  let opening: Promise<T> | null = null;
  return {
    opened: (): Promise<T> => (opening ??= open()),
    close: async (): Promise<void> => {
      const partner = await opening;
      opening = null;
      await partner?.dispose();
    },
  };
}
