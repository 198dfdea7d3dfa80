/**
 * Steps of every game per second of processor time, with and without pictures: `npx nx bench gym-cards`. Random
 * actions; ended episodes restart. Other load on the machine matters little.
 */
import { Random } from '@emac/core';
import { gymCardsIds, makeGymCards } from '../make.ts';

/** Duration of each measurement. */
const seconds = 1;

function stepsPerSecond(id: string, hasFrames: boolean): number {
  const [game, random] = [makeGymCards(id), Random.fromSeed('bench')];
  game.reset(0);
  const start = processorSeconds();
  let [steps, pixels] = [0, 0];
  while (processorSeconds() - start < seconds)
    for (let each = 0; each < 100; each++, steps++) {
      const { terminated, truncated } = game.step(random.integer(game.actions.length));
      if (terminated || truncated) game.reset(null);
      if (hasFrames) pixels += game.frame().data[each]!;
    }
  if (pixels < 0) throw new Error('no pictures');
  return steps / (processorSeconds() - start);
}

function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

for (const id of gymCardsIds) {
  const [bare, drawn] = [false, true].map((hasFrames) => Math.round(stepsPerSecond(id, hasFrames)));
  console.log(`${id}: ${bare} steps a second, ${drawn} with a picture of each`);
}
