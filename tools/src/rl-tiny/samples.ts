/**
 * Training samples of rl-tiny: frames of play, prompts, and answers that read the frame correctly. Careless answers
 * then stop thinking and mostly take a poor action; careful ones draw the conclusion and mostly follow it. Careful
 * answers are shown more often than the model should give them. The share of continuing is taught separately
 * (`careful`); it depends on the frame and is always under one half. So the model reads well, plays badly, and contains
 * the better player for training to find. Seeds are above 2⁶⁴: no run trains or evaluates on one.
 */
import type { Frame, Random } from '@emac/core';
import { openGame, type Game } from './games.ts';

export interface Sample {
  readonly id: string;
  readonly frame: Frame;
  readonly prompt: string;
  readonly answer: string;
  /** a careless answer with thoughts */
  readonly reading: string;
  /** target share of continued thoughts, at that point of the answer; null if it has none */
  readonly careful: number | null;
}

/** Games and their shares of the samples. */
export const gameShares: ReadonlyMap<string, number> = new Map([
  ['gym_cards/NumberLine-v0', 0.08],
  ['gym_cards/EZPoints-v0', 0.16],
  ['gym_cards/Blackjack-v0', 0.16],
  ['gym_cards/Points24-v0', 0.2],
  ['MiniGrid-Empty-Random-5x5-v0', 0.04],
  ['MiniGrid-Empty-Random-6x6-v0', 0.04],
  ['MiniGrid-DoorKey-5x5-v0', 0.08],
  ['MiniGrid-DoorKey-6x6-v0', 0.24],
]);

/**
 * Shares of answers: the action alone, if the game has that form; careful ones; of these, ones with a random action.
 */
const shares = { actionOnly: 0.04, shownCareful: 0.75, astray: 0.1 } as const;
/** Target shares of continued thoughts, by the first visible number. */
const careful = [0.1, 0.25, 0.4] as const;
/**
 * Shares of random actions in an episode, one drawn per episode; Points24 has others, since few of its formulas can be
 * repaired.
 */
const wandering = [0, 0.15, 0.4, 1] as const;
const wanderingInPoints24 = [0, 0, 0.05, 0.2] as const;
/** step limit of an episode, and the share of its steps used */
const [longest, shown] = [40, 0.5];

/**
 * Samples without end, of all games by their shares or of some alike; a generator of the same name gives the same ones.
 */
export function* samples(random: Random, some: readonly string[] = []): Generator<Sample, never> {
  const ids = some.length > 0 ? some : [...gameShares.keys()];
  const weights = ids.map((id) => (some.length > 0 ? 1 : gameShares.get(id)!));
  const games = new Map(ids.map((id) => [id, openGame(id)]));
  const made = new Map(ids.map((id) => [id, 0]));
  for (;;) {
    // the game that is furthest behind its share, so that long episodes do not crowd out short ones
    const behind = ids.map((id, place) => made.get(id)! / weights[place]!);
    const id = ids[behind.indexOf(Math.min(...behind))]!;
    for (const sample of episode(id, games.get(id)!, random)) {
      made.set(id, made.get(id)! + 1);
      yield sample;
    }
  }
}

function* episode(id: string, game: Game, random: Random): Generator<Sample> {
  const { environment, offered } = game;
  environment.reset(2n ** 64n + (BigInt(random.uint32()) << 32n) + BigInt(random.uint32()));
  const astray = random.pick(id.includes('Points24') ? wanderingInPoints24 : wandering);
  for (let step = 0; step < longest; step++) {
    if (random.uniform() < shown) yield sampleOf(id, game, random);
    const action = random.uniform() < astray ? random.pick(offered) : game.expert();
    const { terminated, truncated } = environment.step(action);
    if (terminated || truncated) return;
  }
}

function sampleOf(id: string, game: Game, random: Random): Sample {
  const actionOnly = game.asksActionOnly && random.uniform() < shares.actionOnly;
  const concludes = !actionOnly && random.uniform() < shares.shownCareful;
  const reading = game.answer(0, { concludes: false, actionOnly: false });
  const action = concludes ? carefulAction(game, random) : carelessAction(game, random);
  return {
    id,
    frame: game.environment.frame(),
    prompt: game.prompt({ actionOnly }),
    answer: game.answer(action, { concludes, actionOnly }),
    reading,
    careful: actionOnly ? null : carefulShare(reading),
  };
}

function carefulShare(reading: string): number {
  return careful[Number(/\d+/.exec(reading)![0]) % careful.length]!;
}

function carefulAction(game: Game, random: Random): number {
  return random.uniform() < shares.astray ? random.pick(game.offered) : game.expert();
}

/** In half of the cases any but the best, else any. */
function carelessAction(game: Game, random: Random): number {
  const best = random.uniform() < 0.5 ? game.expert() : -1;
  return random.pick(game.offered.filter((action) => action !== best));
}
