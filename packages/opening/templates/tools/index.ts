/** NAME: the agent keeps a store by calls of two tools: one examines a thing, another puts it where it belongs. */

import type { InlineEnvironment } from './emac.js';

const things = ['mug 1', 'book 1', 'plate 1', 'pen 1'];
const places = [1, 2, 3, 4, 5].map((number) => `shelf ${number}`);

/** A thing and where it belongs: `mug 1 on shelf 2`. */
const all = things.flatMap((thing) => places.map((place) => `${thing} on ${place}`));

/** Tasks that training never sees. */
const heldOut = ['mug 1 on shelf 1', 'book 1 on shelf 2', 'plate 1 on shelf 3', 'pen 1 on shelf 4'];

export default {
  tasks: {
    training: all.filter((task) => !heldOut.includes(task)),
    heldOut,
  },

  /** Begins an episode: the first observation, the actions offered, and a step for each action. */
  begin(task) {
    const [thing, place] = task.split(' on ');
    return {
      observation: `Put the ${thing} where it belongs.`,
      actions: [`examine ${thing}`, ...places.map((each) => `put ${thing} in/on ${each}`)],

      /** One call of a tool. The agent learns to collect reward. A call that no tool understands must change nothing. */
      step(call) {
        if (call === `examine ${thing}`)
          return { observation: `The ${thing} belongs on ${place}.`, reward: 0, done: false };
        if (call === `put ${thing} in/on ${place}`)
          return { observation: `The ${thing} is in its place.`, reward: 1, done: true };
        if (places.some((each) => call === `put ${thing} in/on ${each}`))
          return { observation: `The ${thing} is lost.`, reward: 0, done: true };
        return { observation: 'No tool understands this.', reward: 0, done: false };
      },
    };
  },

  // Everything below can be left out.

  /** The scripted player: the right call after what was seen. Imitation (bc) learns from it. */
  expert(task, { turns }) {
    const [thing, place] = task.split(' on ');
    const isKnown = turns.some(({ observation }) => observation.includes('belongs on'));
    return isKnown ? `put ${thing} in/on ${place}` : `examine ${thing}`;
  },

  /** Calls after which an episode is given up. */
  maxSteps: 4,

  /** Lowest and highest reward of a step. `emac env check` compares. */
  rewards: [0, 1],

  // The name of a state, so that gigpo compares steps from equal states:
  //   anchor: ({ initial, turns }) => turns.at(-1)?.observation ?? initial,
  // The prompt, in place of the list of observations and calls:
  //   prompt: ({ initial, turns }) => `${[initial, ...turns.map((turn) => turn.observation)].join('\n')}\nYour call:`,
} satisfies InlineEnvironment;
