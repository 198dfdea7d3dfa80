/** Your own environment in the program: its expert is imitated, then the trained policy plays a held-out task. */
import { learn } from '@emac/experiment';

const numbers = ['1', '2', '3', '4', '5', '6', '7'];

const guess = {
  name: 'guess',
  tasks: {
    training: numbers.map((each) => `first ${each}`),
    heldOut: numbers.map((each) => `second ${each}`),
  },
  maxSteps: 5,
  begin: (task) => ({
    observation: 'Guess a number from 1 to 7.',
    actions: numbers,
    step(action) {
      const number = task.at(-1);
      if (action === number) return { observation: 'Right.', reward: 1, done: true };
      return { observation: `It is ${action < number ? 'higher' : 'lower'}.`, reward: 0, done: false };
    },
  }),
  expert(_task, { turns }) {
    let [low, high] = [1, 7];
    for (const { command, observation } of turns)
      if (observation.includes('higher')) low = Number(command) + 1;
      else high = Number(command) - 1;
    return String(Math.floor((low + high) / 2));
  },
};

const run = await learn({
  environment: guess,
  policy: 'emma-tiny',
  method: 'bc',
  settings: {
    trained: { parts: 'lora' },
    play: { rounds: 20, gamesPerRound: 7 },
    evaluation: { episodes: 7 },
  },
  folder: 'runs/own-environment',
});
console.log(`success ${run.before.success} before, ${run.after.success} after`);

const game = guess.begin('second 5');
const history = { initial: game.observation, turns: [] };
for (let done = false; !done;) {
  const command = await run.act(history, { actions: game.actions });
  const step = game.step(command);
  history.turns.push({ command, observation: step.observation });
  done = step.done || history.turns.length === guess.maxSteps;
}
console.log(history.turns.map(({ command, observation }) => `${command}: ${observation}`).join(' '));
await run.dispose();
