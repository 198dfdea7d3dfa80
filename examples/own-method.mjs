/** A method of your own, passed where the name of a built-in one stands: its loss is of your making. */
import { imitation } from '@emac/algorithms';
import { learn } from '@emac/experiment';

const numbers = ['1', '2', '3', '4', '5', '6', '7'];
const buttons = {
  name: 'buttons',
  tasks: { training: numbers.map((each) => `press ${each}`), heldOut: numbers.map((each) => `now ${each}`) },
  maxSteps: 1,
  begin: (task) => ({
    observation: `Press ${task.split(' ')[1]}.`,
    actions: numbers,
    step: (action) => ({ observation: 'Pressed.', reward: Number(task.endsWith(action)), done: true }),
  }),
  expert: (task) => task.split(' ')[1],
};

/** −(1 − p) log p of each token: what the policy knows already weighs less. */
const loss = {
  over: 'tokens',
  formula: ({ exp, multiply, scale, shift }, { logProbability }) =>
    multiply(shift(scale(exp(logProbability), -1), 1), scale(logProbability, -1)),
};
const doubtful = { name: 'doubtful', over: 'answers', learn: (policy) => imitation(policy, loss) };

for (const method of ['bc', doubtful]) {
  const run = await learn({
    environment: buttons,
    method,
    settings: {
      trained: { parts: 'lora' },
      play: { rounds: 10, gamesPerRound: 7 },
      evaluation: { episodes: 7 },
    },
    folder: `runs/own-method-${method.name ?? method}`,
  });
  console.log(method.name ?? method, run.before.success, run.after.success);
}
