/** A small network in your own environment: it reads arrays, learns by reward alone, and plays a held-out task. */
import { learn } from '@emac/experiment';

const moves = { up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0] };

/** Reach the flag on a field of 5 × 5 cells. The task's number says where both are. */
const field = {
  name: 'field',
  tasks: { training: (number) => `training ${number}`, heldOut: (number) => `held-out ${number}` },
  maxSteps: 10,
  actions: Object.keys(moves),
  begin(task) {
    const number = Number(task.split(' ')[1]) * 7919 + (task.startsWith('held-out') ? 13 : 0);
    const flag = [number % 5, Math.floor(number / 5) % 5];
    const at = [Math.floor(number / 25) % 5, Math.floor(number / 125) % 5];
    const seen = () => ({
      text: 'A field with a flag.',
      arrays: { way: { shape: [2], data: Float32Array.of(flag[0] - at[0], flag[1] - at[1]) } },
    });
    return {
      observation: seen(),
      step(action) {
        at.forEach((place, axis) => (at[axis] = Math.min(4, Math.max(0, place + moves[action][axis]))));
        const done = at[0] === flag[0] && at[1] === flag[1];
        return { observation: seen(), reward: done ? 1 : 0, done };
      },
    };
  },
};

const run = await learn({
  environment: field,
  policy: 'mlp',
  method: 'ppo',
  settings: { play: { environmentSteps: 16384 }, evaluation: { episodes: 50 } },
  folder: 'runs/own-network',
});
console.log(`success ${run.before.success < 0.5 ? 'below' : 'above'} 0.5 before, ${run.after.success} after`);

const game = field.begin('held-out 3');
const history = { initial: game.observation.text, turns: [] };
let { observation } = game;
for (let done = false; !done && history.turns.length < field.maxSteps;) {
  const command = await run.act(history, { actions: field.actions, arrays: observation.arrays });
  ({ observation, done } = game.step(command));
  history.turns.push({ command, observation: observation.text });
}
console.log(history.turns.map(({ command }) => command).join(' '));
await run.dispose();
