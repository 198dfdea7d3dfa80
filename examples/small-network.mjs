/** A small network, without a language model: PPO brings a number to its target. */
import { learn, openPlayer } from '@emac/experiment';

const environment = 'gym_cards/NumberLine-v0';
const run = await learn({
  environment,
  policy: 'mlp',
  method: 'ppo',
  settings: { play: { environmentSteps: 8192 }, evaluation: { episodes: 100 } },
  folder: 'runs/small-network',
});
console.log(`success ${run.before.success < 0.9 ? 'below' : 'above'} 0.9 before, ${run.after.success} after`);

const player = await openPlayer(run.folder, { env: environment, palette: null, maxSteps: null });
player.environment.reset(7);
let moves = 0;
for (let over = false; !over; moves++) {
  const { terminated, truncated } = player.environment.step(await player.act());
  over = terminated || truncated;
}
console.log(moves);
await player.dispose();
