/** Guess a number from 1 to 7. Each answer says whether it is higher or lower. */
const numbers = ['1', '2', '3', '4', '5', '6', '7'];

/** The middle of the remaining numbers, from the answers so far. */
function middle({ turns }) {
  let [low, high] = [1, 7];
  for (const { command, observation } of turns) {
    if (observation.includes('higher')) low = Number(command) + 1;
    if (observation.includes('lower')) high = Number(command) - 1;
  }
  return String(Math.floor((low + high) / 2));
}

export default {
  tasks: {
    training: numbers.map((number) => `first ${number}`),
    heldOut: numbers.map((number) => `second ${number}`),
  },
  maxSteps: 5,
  begin: (task) => ({
    observation: 'Guess a number from 1 to 7.',
    actions: numbers,
    step(guess) {
      const number = task.at(-1);
      if (guess === number) return { observation: 'Right.', reward: 1, done: true };
      return { observation: `It is ${guess < number ? 'higher' : 'lower'}.`, reward: 0, done: false };
    },
  }),
  expert: (_task, history) => middle(history),
};
