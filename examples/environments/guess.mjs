/** guess: a number from 1 to 8 is hidden. Each answer says whether it is higher or lower. Halving finds it. */

const numbers = ['1', '2', '3', '4', '5', '6', '7', '8'];

export default {
  tasks: {
    training: numbers.map((number) => `train ${number}`),
    heldOut: numbers.map((number) => `test ${number}`),
  },

  begin(task) {
    const hidden = task.at(-1);
    const answers = new Float32Array(8);
    /** In words; and in numbers, for small networks: 1 where the hidden number is higher, -1 where it is lower. */
    const seen = (text) => ({ text, arrays: { answers: { shape: [8], data: answers.slice() } } });
    return {
      observation: seen('Guess a number from 1 to 8.'),
      actions: numbers,
      step(guess) {
        if (!numbers.includes(guess))
          return { observation: seen('Say a number.'), reward: -0.1, done: false };
        if (guess === hidden) return { observation: seen('Right.'), reward: 1, done: true };
        answers[guess - 1] = guess < hidden ? 1 : -1;
        return { observation: seen(guess < hidden ? 'higher' : 'lower'), reward: -0.1, done: false };
      },
    };
  },

  /** Halves what is left. */
  expert(_task, { turns }) {
    let [low, high] = [1, 8];
    for (const { command, observation } of turns) {
      if (observation === 'higher') low = Math.max(low, Number(command) + 1);
      if (observation === 'lower') high = Math.min(high, Number(command) - 1);
    }
    return String(Math.floor((low + high) / 2));
  },

  maxSteps: 6,
  rewards: [-0.1, 1],
};
