/** Scripted players, as bounds for trained ones. */
import { Random, type Turn } from '@emac/core';
import type { EvaluatedGame } from '@emac/rollout';
import { handcodedCommand, World, type Game } from '@emac/world';
import { frameCommand } from './frame-expert.ts';

export type Player = (situation: {
  readonly initial: string;
  readonly turns: readonly Turn[];
  readonly admissible: readonly string[];
  readonly world: World;
  readonly random: Random;
}) => string;

/** The hand-coded expert with all texts, the same with the present frame alone, and random admissible commands. */
export const players = {
  'expert-texts': ({ initial, turns, admissible }) =>
    handcodedCommand({ initial, turns }, { admissible }) ?? 'look',
  'expert-frames': ({ initial, turns, admissible, world }) =>
    frameCommand({ initial, turns }, world.visible(), admissible) ?? 'look',
  random: ({ admissible, random }) => random.pick(admissible),
} satisfies Readonly<Record<string, Player>>;

/** One attempt at a game, of so many steps. */
export function playScripted(player: Player, game: Game, limit: number): EvaluatedGame {
  const random = Random.fromSeed('scripted player').stream(game.id);
  const world = new World(game);
  const first = world.reset();
  const turns: Turn[] = [];
  let { admissible } = first;
  let won = false;
  while (!won && turns.length < limit) {
    const command = player({ initial: first.observation, turns, admissible, world, random });
    const state = world.step(command);
    ({ admissible, won } = state);
    turns.push({ command, observation: state.observation });
  }
  return {
    id: game.id,
    type: game.taskType,
    won,
    steps: won ? turns.length : limit,
    seen_in_training: false,
  };
}
