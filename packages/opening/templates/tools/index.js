/** NAME: the agent sends a parcel. One tool looks up where somebody lives, another sends the parcel there. */

const people = ['ana', 'ben', 'eva', 'tom'];
const streets = ['1', '2', '3', '4', '5'];

/** Who gets the parcel, and the street: `ana 3`. */
const all = people.flatMap((person) => streets.map((street) => `${person} ${street}`));

/** Tasks that training never sees. */
const heldOut = ['ana 1', 'ben 2', 'eva 3', 'tom 4'];

export default {
  tasks: {
    training: all.filter((task) => !heldOut.includes(task)),
    heldOut,
  },

  /** Begins an episode: the first observation, the actions offered, and a step for each action. */
  begin(task) {
    const [person, street] = task.split(' ');
    return {
      observation: `Send the parcel to ${person}.`,
      actions: [...people.map((name) => `find ${name}`), ...streets.map((number) => `send ${number}`)],

      /** One call of a tool. The agent learns to collect reward. A call that no tool understands must change nothing. */
      step(call) {
        const [tool, given] = call.split(' ');
        if (tool === 'find' && given === person)
          return { observation: `${person} lives in street ${street}.`, reward: 0, done: false };
        if (tool === 'send' && streets.includes(given))
          return given === street
            ? { observation: 'The parcel has arrived.', reward: 1, done: true }
            : { observation: 'The parcel is lost.', reward: 0, done: true };
        return { observation: 'Nothing found.', reward: 0, done: false };
      },
    };
  },

  // Everything below can be left out.

  /** The scripted player: the right call after what was seen. Imitation (bc) learns from it. */
  expert(_task, { initial, turns }) {
    const found = turns.map(({ observation }) => /street (\d)/.exec(observation)?.[1]).findLast(Boolean);
    return found ? `send ${found}` : `find ${/to (\w+)/.exec(initial)[1]}`;
  },

  /** Calls after which an episode is given up. */
  maxSteps: 4,

  /** Lowest and highest reward of a step. `emac env check` compares. */
  rewards: [0, 1],

  // The name of a state, so that gigpo compares steps from equal states:
  //   anchor: ({ initial, turns }) => turns.at(-1)?.observation ?? initial,
  // The prompt, in place of the list of observations and calls:
  //   prompt: ({ initial, turns }) => `${[initial, ...turns.map((turn) => turn.observation)].join('\n')}\nYour call:`,
};
