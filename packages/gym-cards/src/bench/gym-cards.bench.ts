/** Steps a second of every game, with and without a picture of each: `npx nx bench gym-cards`. Random actions, episodes begun again where they end. */
import { Random } from '@emac/core';
import { gymCardsIds, makeGymCards } from '../make.ts';

/** Seconds that each measurement takes. */
const seconds = 1;

function stepsPerSecond(id: string, hasFrames: boolean): number {
  const [game, random] = [makeGymCards(id), Random.fromSeed('bench')];
  game.reset(0);
  const start = performance.now();
  let [steps, pixels] = [0, 0];
  while (performance.now() - start < seconds * 1000)
    for (let each = 0; each < 100; each++, steps++) {
      const { terminated, truncated } = game.step(random.integer(game.actions.length));
      if (terminated || truncated) game.reset(null);
      if (hasFrames) pixels += game.frame().data[each]!;
    }
  if (pixels < 0) throw new Error('no pictures');
  return steps / ((performance.now() - start) / 1000);
}

for (const id of gymCardsIds) {
  const [bare, drawn] = [false, true].map((hasFrames) => Math.round(stepsPerSecond(id, hasFrames)));
  console.log(`${id}: ${bare} steps a second, ${drawn} with a picture of each`);
}
