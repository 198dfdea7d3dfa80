/**
 * How fast the engine is, on one core: `node dist/bench/world.bench.js [--json] [GAME]`. Without a game file the
 * kitchen is a generated one, about as large as the largest real ones. A step is counted with its feedback and the
 * complete sorted list of admissible commands of the state after it.
 */
import { readFileSync } from 'node:fs';
import { Random } from '@emac/core';
import { renderFrame } from '../frame/render-frame.ts';
import { parseGame } from '../game/game.ts';
import { generateGame } from '../generate/generate-game.ts';
import type { GeneratedGame } from '../generate/generate-game.ts';
import { World } from '../world.ts';
import { milliseconds, rate } from './measure.bench.ts';
import type { Measurement } from './measure.bench.ts';

const kitchens = ['K1', 'K2', 'K3', 'K4', 'K5', 'K6', 'K7', 'K8', 'K9', 'K10'];

/** The text of the largest generated kitchen game. */
function largeKitchen(): string {
  const games = kitchens.map((room) => {
    const made = generateGame({ random: Random.fromSeed(room), split: 'train', dialect: 'move', room });
    return JSON.stringify(made.file);
  });
  return games.reduce((largest, text) => (text.length > largest.length ? text : largest));
}

/** A random walk that restarts every 50 steps, as in a rollout. */
function walk(world: World, random: Random, steps: number): number {
  let characters = 0;
  for (let step = 0; step < steps; step++) {
    if (step % 50 === 0) characters += world.reset().observation.length;
    const { observation, admissible } = world.step(random.pick(world.admissible));
    characters += observation.length + admissible.length;
  }
  return characters;
}

function verified({ id, file }: GeneratedGame): void {
  const world = new World(parseGame(JSON.stringify(file), { id }));
  for (const command of file.walkthrough) world.perform(command);
  if (!world.won) throw new Error(`${id}: its walkthrough does not win`);
}

function measure(text: string): Measurement[] {
  const game = parseGame(text, { id: 'bench' });
  const world = new World(game);
  const random = Random.fromSeed('bench');
  const steps = 1000;
  const walked = milliseconds(
    { what: 'step', wanted: 'at least 50000', times: 60, operations: steps },
    () => void walk(world, random, steps),
  );
  let seed = 0;
  const made = milliseconds({ what: 'generate and verify', wanted: 'at least 1000', times: 60 }, () =>
    verified(generateGame({ random: Random.fromSeed(seed++), split: 'train', dialect: 'move' })),
  );
  walk(world, random, 25);
  const faced = world.admissible.find((command) => command.startsWith('go to countertop'));
  if (faced !== undefined) world.perform(faced);
  const visible = world.visible();
  world.reset();
  return [
    milliseconds(
      { what: 'load', wanted: 'at most 3', times: 100 },
      () => void parseGame(text, { id: 'bench' }),
    ),
    milliseconds({ what: 'reset', wanted: '', times: 300 }, () => void world.reset()),
    rate({ ...walked, what: 'steps' }, 'per s', 1000),
    milliseconds({ what: 'shortest plan', wanted: '', times: 300 }, () => void world.shortestPlan()),
    rate({ ...made, what: 'games generated and verified' }, 'per min', 60_000),
    milliseconds({ what: 'frame 224', wanted: 'at most 2', times: 100 }, () => void renderFrame(visible)),
    milliseconds(
      { what: 'frame 300', wanted: '', times: 100 },
      () => void renderFrame(visible, { width: 300, height: 300 }),
    ),
  ];
}

function table(rows: readonly Measurement[]): string {
  const format = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toFixed(3));
  const lines = rows.map(
    ({ what, median, best, unit, wanted }) =>
      `${what.padEnd(30)}${format(median).padStart(10)}${format(best).padStart(10)}  ${unit.padEnd(8)}${wanted}`,
  );
  return [
    `${''.padEnd(30)}${'median'.padStart(10)}${'best'.padStart(10)}  ${''.padEnd(8)}wanted`,
    ...lines,
  ].join('\n');
}

const flags = process.argv.slice(2);
const path = flags.find((each) => !each.startsWith('--'));
const rows = measure(path === undefined ? largeKitchen() : readFileSync(path, 'utf8'));
process.stdout.write(`${flags.includes('--json') ? JSON.stringify(rows) : table(rows)}\n`);
