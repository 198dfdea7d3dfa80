/** A small network, without a language model: PPO brings a number to its target. */
import { learn } from '@emac/experiment';
import { localWorld } from '@emac/opening';

const environment = 'gym_cards/NumberLine-v0';
const run = await learn({
  environment,
  policy: 'mlp',
  method: 'ppo',
  settings: { play: { environmentSteps: 8192 }, evaluation: { episodes: 100 } },
  folder: 'runs/small-network',
});
console.log(`success ${run.before.success < 0.9 ? 'below' : 'above'} 0.9 before, ${run.after.success} after`);

const line = localWorld(environment).make({ maxSteps: null });
line.reset(7);
let moves = 0;
for (let over = false; !over; moves++) {
  const history = { initial: line.text(), turns: [] };
  const action = await run.act(history, { arrays: line.observe(), actions: line.actions });
  const { terminated, truncated } = line.step(line.actions.indexOf(action));
  over = terminated || truncated;
}
console.log(moves);
await run.dispose();
