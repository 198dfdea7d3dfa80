/** NAME: a treasure lies in one of five rooms in a row. The agent walks there and takes it. */

const rooms = [1, 2, 3, 4, 5];

/** Where the agent starts and where the treasure lies: `from 1 to 4`. */
const all = rooms.flatMap((start) => rooms.map((treasure) => `from ${start} to ${treasure}`));

/** Tasks that training never sees. */
const heldOut = ['from 1 to 4', 'from 2 to 5', 'from 3 to 1', 'from 4 to 2', 'from 5 to 3'];

export default {
  tasks: {
    training: all.filter((task) => !heldOut.includes(task)),
    heldOut,
  },

  /** Begins an episode: the first observation, the actions offered, and a step for each action. */
  begin(task) {
    let [start, treasure] = task.match(/\d/g).map(Number);
    let room = start;
    const seen = () => {
      if (room === treasure) return 'The treasure is here.';
      return `The treasure is to the ${treasure < room ? 'left' : 'right'}.`;
    };
    return {
      observation: seen(),
      actions: ['left', 'right', 'take'],

      /** The agent learns to collect reward. An action that is not offered must change nothing. */
      step(action) {
        if (action === 'take' && room === treasure)
          return { observation: 'You have the treasure.', reward: 1, done: true };
        if (action === 'left') room = Math.max(1, room - 1);
        if (action === 'right') room = Math.min(5, room + 1);
        return { observation: seen(), reward: 0, done: false };
      },
    };
  },

  // Everything below can be left out.

  /** The scripted player: the right action after what was seen. Imitation (bc) learns from it. */
  expert(_task, { initial, turns }) {
    const seen = turns.at(-1)?.observation ?? initial;
    return ['left', 'right'].find((side) => seen.includes(side)) ?? 'take';
  },

  /** Steps after which an episode is given up. */
  maxSteps: 8,

  /** Lowest and highest reward of a step. `emac env check` compares. */
  rewards: [0, 1],

  // An observation may also be { text, frames, arrays }:
  //   frames: [{ width: 64, height: 64, data: new Uint8Array(64 * 64 * 3) }]     pictures, RGB
  //   arrays: { map: { shape: [5], data: new Float32Array(5) } }                 numbers
  // The name of a state, so that gigpo compares steps from equal states:
  //   anchor: ({ initial, turns }) => turns.at(-1)?.observation ?? initial,
  // The prompt, in place of the list of observations and actions:
  //   prompt: ({ initial, turns }) => `${turns.at(-1)?.observation ?? initial}\nYour move:`,
};
