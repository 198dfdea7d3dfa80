/**
 * What scripted players reach on games, as bounds for trained ones: the hand-coded expert with all texts, the same with
 * frames alone, and a player of random admissible commands.
 * Usage: node tools/dist/experiments/bounds.js GAMES [--steps 50] [--games N]
 */
import { parseArgs } from 'node:util';
import { Random, type Turn } from '@emac/core';
import { drawGames, listGames } from '@emac/experiment';
import { summarize, type EvaluatedGame } from '@emac/rollout';
import { handcodedCommand, World, type Game } from '@emac/world';
import { frameCommand } from './frame-expert.ts';

type Player = (situation: {
  readonly initial: string;
  readonly turns: readonly Turn[];
  readonly admissible: readonly string[];
  readonly world: World;
  readonly random: Random;
}) => string;

const players: Readonly<Record<string, Player>> = {
  'expert, texts': ({ initial, turns, admissible }) =>
    handcodedCommand({ initial, turns }, { admissible }) ?? 'look',
  'expert, frames alone': ({ initial, turns, admissible, world }) =>
    frameCommand({ initial, turns }, world.visible(), admissible) ?? 'look',
  random: ({ admissible, random }) => random.pick(admissible),
};

/** One attempt at a game. */
function playWith(
  player: Player,
  game: Game,
  { steps, random }: { steps: number; random: Random },
): EvaluatedGame {
  const world = new World(game);
  const first = world.reset();
  const turns: Turn[] = [];
  let { admissible } = first;
  let won = false;
  while (!won && turns.length < steps) {
    const command = player({ initial: first.observation, turns, admissible, world, random });
    const state = world.step(command);
    ({ admissible, won } = state);
    turns.push({ command, observation: state.observation });
  }
  return {
    id: game.id,
    type: game.taskType,
    won,
    steps: won ? turns.length : steps,
    seen_in_training: false,
  };
}

function main(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { steps: { type: 'string', default: '50' }, games: { type: 'string' } },
  });
  const [source] = positionals;
  if (!source) throw new Error('usage: bounds GAMES [--steps 50] [--games N]');
  const list = listGames(source);
  const drawn = drawGames(list, Number(values.games ?? list.games.length), null);
  for (const [name, player] of Object.entries(players)) {
    const games = drawn.map((each) => {
      const game = each.load();
      const random = Random.fromSeed('bounds').stream(game.id);
      return playWith(player, game, { steps: Number(values.steps), random });
    });
    process.stdout.write(JSON.stringify({ player: name, games: games.length, ...summarize(games) }) + '\n');
  }
}

main();
