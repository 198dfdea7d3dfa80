/** safe: an environment with two tools. The note of a safe holds its code, and the code opens it. */

const colours = ['red', 'blue', 'green'];
const all = colours.flatMap((colour) => [1, 2, 3, 4].map((code) => `${colour} ${code}`));

export default {
  tasks: {
    training: all.filter((_, index) => index % 4 !== 1),
    heldOut: all.filter((_, index) => index % 4 === 1),
  },

  /** What `begin` returns is the second argument of each tool. */
  begin(task) {
    const [colour, code] = task.split(' ');
    return { observation: `Open the ${colour} safe.`, colour, code: Number(code) };
  },

  tools: {
    read: {
      description: 'Reads the note of a safe.',
      parameters: { type: 'object', properties: { safe: { enum: colours } }, required: ['safe'] },
      run: ({ safe }, { colour, code }) => (safe === colour ? `Its code is ${code}.` : 'The note is empty.'),
    },
    enter: {
      description: 'Enters a code.',
      parameters: { type: 'object', properties: { code: { type: 'integer' } }, required: ['code'] },
      run: (given, { code }) =>
        given.code === code
          ? { observation: 'It opens.', reward: 1, done: true }
          : { observation: 'It stays shut.', reward: 0, done: true },
    },
  },

  expert(task, { turns }) {
    const [safe, code] = task.split(' ');
    if (turns.at(-1)?.observation === `Its code is ${code}.`)
      return { name: 'enter', arguments: { code: Number(code) } };
    return { name: 'read', arguments: { safe } };
  },

  maxSteps: 4,
  rewards: [0, 1],
};
