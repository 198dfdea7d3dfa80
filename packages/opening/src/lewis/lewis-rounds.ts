/**
 * Single questions of the Lewis game with rewards: for a listener about a description, for a speaker about a picture.
 * The partner gets all questions that come at once in one request.
 */
import { Random, type Frame } from '@emac/core';
import {
  accuracyReward,
  consistencyReward,
  formatReward,
  lengthReward,
  listenerFormatReward,
  listenerPrompt,
  listenerQuestion,
  overlapReward,
  readDescription,
  scoreCandidates,
  speakerPrompt,
  thingOf,
  trueDescription,
  weightedReward,
  type LewisGame,
  type LewisPlayer,
  type Listener,
  type PictureQuestion,
  type Speaker,
  type Verdict,
} from '@emac/lewis';
import { grpoConfig, modelIn, untrained, type GrpoConfig, type LewisRole } from '@emac/settings';
import { plainHost } from '../host.ts';
import { gathered } from './gathered.ts';
import { openListener, openSpeaker, type Opened } from './open-agents.ts';
import { heldOutGames, openLewisWorld, trainingGames, type LewisWorld } from './pictures.ts';

interface LewisRound {
  /** unique among training and held-out rounds */
  readonly name: string;
  /** a perfect player's answer; null if the picture's concept is unknown */
  readonly right: string | null;
  /** the right choice, for logs: a candidate's number, or a verdict */
  readonly solution: string;
  question(): Promise<string>;
  frame(): Promise<Frame>;
  /** Rewards of an answer, by name. */
  worth(answer: string): Promise<LewisWorth>;
}

export interface LewisWorth {
  readonly rewards: Readonly<Record<string, number>>;
  readonly won: boolean;
}

export interface LewisRounds {
  readonly training: readonly LewisRound[];
  readonly heldOut: readonly LewisRound[];
}

/** The games of a run in which a role is trained, and their world. */
export interface LewisGames {
  readonly world: LewisWorld;
  readonly training: readonly LewisGame[];
  /** the same for every seed, so that runs can be compared */
  readonly heldOut: readonly LewisGame[];
}

/** At most `most` held-out games. Errors: those of pictures; `data` for too few things. */
export async function openLewisGames(
  { game, seed }: Pick<GrpoConfig, 'game' | 'seed'>,
  most: number,
): Promise<LewisGames> {
  const world = await openLewisWorld(game);
  const training = trainingGames(world, game, Random.fromSeed(seed).stream('games'));
  if (most === 0) return { world, training, heldOut: [] };
  const asked = { candidates: game.candidates, games: most };
  return { world, training, heldOut: heldOutGames(world, asked, heldOutRandom()) };
}

/** of held-out games, which compare runs */
export function heldOutRandom(): Random {
  return Random.fromSeed(0).stream('evaluation');
}

type Rewards = Pick<GrpoConfig, 'rewards' | 'seed'>;

/** Two rounds of every game: the right candidate, and another. A description is requested once. */
export function listenerRounds(
  { world, training, heldOut }: LewisGames,
  { rewards: { verdict: mode }, seed }: Rewards,
  speaker: Pick<Speaker, 'ask'>,
): LewisRounds {
  const describe = gathered(async (all: readonly PictureQuestion[]) => (await speaker.ask(all)).answers);
  const reward = mode === 'weighted' ? weightedReward : consistencyReward;
  const roundsOf = (game: LewisGame, rivals: Random): LewisRound[] => {
    const { image, category, candidates, label } = game;
    let text: Promise<string> | null = null;
    const described = async () => {
      const [written] = await describe([{ picture: image, question: speakerPrompt(category) }]);
      return readDescription(written!, category).text;
    };
    const others = candidates.filter((_, place) => place !== label);
    const round = (right: Verdict, shown: string): LewisRound => ({
      name: `${image}/${right}`,
      right: `\`\`\`json\n{"Reasoning": "The picture shows ${right === 'yes' ? 'that' : 'another thing'}.", "Answer": "${right}"}\n\`\`\``,
      solution: right,
      question: async () => listenerPrompt(await (text ??= described())),
      frame: () => world.pictures(shown),
      worth: async (answer) => ({
        rewards: { [mode]: reward(answer, right), format: listenerFormatReward(answer) },
        won: consistencyReward(answer, right) === 1,
      }),
    });
    return [round('yes', candidates[label]!), round('no', rivals.stream(image).pick(others))];
  };
  const both = (some: readonly LewisGame[], drawn: number) => {
    const rivals = Random.fromSeed(drawn).stream('rivals');
    return some.flatMap((game) => roundsOf(game, rivals));
  };
  return { training: both(training, seed), heldOut: both(heldOut, heldOutSeed) };
}

const heldOutSeed = 0;

/** One round of every game. */
export function speakerRounds(
  { world, training, heldOut }: LewisGames,
  { rewards: { accuracy, format, length, overlap } }: Rewards,
  listener: Pick<Listener, 'ask'>,
): LewisRounds {
  const score = gathered(async (all: readonly PictureQuestion[]) => (await listener.ask(all)).answers);
  const roundOf = ({ image, category, candidates, label }: LewisGame): LewisRound => ({
    name: image,
    right: world.folder === null ? trueDescription(thingOf(image)) : null,
    solution: String(label),
    question: async () => speakerPrompt(category),
    frame: () => world.pictures(image),
    worth: async (answer) => {
      const description = readDescription(answer, category);
      const question = listenerQuestion(description.text);
      const probabilities = await score(candidates.map((picture) => ({ picture, question })));
      const heard = scoreCandidates(probabilities!);
      return {
        rewards: {
          accuracy: accuracyReward(heard, label, accuracy),
          format: formatReward(answer, format),
          ...(length !== 'none' && { length: lengthReward(description, length) }),
          ...(overlap && { overlap: overlapReward(description) }),
        },
        won: heard.predicted === label,
      };
    },
  });
  return { training: training.map(roundOf), heldOut: heldOut.map(roundOf) };
}

/**
 * The rounds of a role outside GRPO: descriptions are true for drawn pictures, else the model's; a speaker's listener
 * is the untrained model. `close` lets the partner go. Errors: those of pictures.
 */
export async function usualRounds(
  role: LewisRole,
  pictures: string,
  seed: number,
): Promise<LewisRounds & { close(): Promise<void> }> {
  const config = grpoConfig({ role, game: { pictures }, seed });
  const games = await openLewisGames(config, Infinity);
  const { folder } = games.world;
  const place = { pictures: games.world.pictures, folder, model: modelIn(config), name: untrained };
  if (role === 'speaker') {
    const listener = onceOpened(() => openListener(place, plainHost()));
    return { ...speakerRounds(games, config, listener), close: listener.close };
  }
  const name = folder === null ? 'true' : untrained;
  const speaker = onceOpened(() => openSpeaker({ ...place, name }, plainHost()));
  return { ...listenerRounds(games, config, speaker), close: speaker.close };
}

/** A partner opened at its first question. */
function onceOpened<T>(open: () => Promise<Opened<LewisPlayer<T>>>) {
  let opening: ReturnType<typeof open> | null = null;
  return {
    ask: async (all: readonly PictureQuestion[]) => (await (opening ??= open())).agent.ask(all),
    close: async (): Promise<void> => {
      const partner = await opening;
      opening = null;
      await partner?.dispose();
    },
  };
}
