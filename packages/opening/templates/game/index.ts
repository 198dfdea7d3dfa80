/** NAME: a keychain lies in a piece of furniture, and a note says where. The agent goes there and takes it. */

import type { InlineEnvironment } from './emac.js';

const kinds = ['drawer', 'cabinet', 'shelf', 'desk'];

/** Where the keychain lies: `drawer 1`. */
const places = kinds.flatMap((kind) => [1, 2, 3, 4, 5].map((number) => `${kind} ${number}`));

/** Tasks that training never sees. */
const heldOut = ['drawer 1', 'cabinet 2', 'shelf 3', 'desk 4'];

export default {
  tasks: {
    training: places.filter((place) => !heldOut.includes(place)),
    heldOut,
  },

  /** Begins an episode: the first observation, the actions offered, and a step for each action. */
  begin(task) {
    let here = '';
    return {
      observation: `Take the keychain 1. A note says: it is in the ${task}.`,
      actions: places.flatMap((place) => [`go to ${place}`, `take keychain 1 from ${place}`]),

      /** The agent learns to collect reward. An action that is not offered must change nothing. */
      step(action) {
        if (action === `take keychain 1 from ${task}` && here === task)
          return { observation: 'You have the keychain 1.', reward: 1, done: true };
        const place = places.find((each) => action === `go to ${each}`);
        if (!place) return { observation: 'Nothing happens.', reward: 0, done: false };
        here = place;
        const seen = place === task ? 'a keychain 1' : 'nothing';
        return { observation: `You are at the ${place}. You see ${seen}.`, reward: 0, done: false };
      },
    };
  },

  // Everything below can be left out.

  /** The scripted player: the right action after what was seen. Imitation (bc) learns from it. */
  expert(_task, { initial, turns }) {
    const place = places.find((each) => initial.endsWith(`in the ${each}.`));
    const isThere =
      turns.findLast(({ command }) => command.startsWith('go to'))?.command === `go to ${place}`;
    return isThere ? `take keychain 1 from ${place}` : `go to ${place}`;
  },

  /** Steps after which an episode is given up. */
  maxSteps: 6,

  /** Lowest and highest reward of a step. `emac env check` compares. */
  rewards: [0, 1],

  // An observation may also be { text, frames, arrays }:
  //   frames: [{ width: 64, height: 64, data: new Uint8Array(64 * 64 * 3) }]     pictures, RGB
  //   arrays: { map: { shape: [5], data: new Float32Array(5) } }                 numbers
  // The name of a state, so that gigpo compares steps from equal states:
  //   anchor: ({ initial, turns }) => turns.at(-1)?.observation ?? initial,
  // The prompt, in place of the list of observations and actions:
  //   prompt: ({ initial, turns }) => `${turns.at(-1)?.observation ?? initial}\nYour move:`,
} satisfies InlineEnvironment;
