/** lookup: where is a thing? One tool says beside what it lies, and where that is; another tool gives the answer. */

const things = ['mug 1', 'book 1', 'plate 1', 'pen 1'];
const places = ['shelf 1', 'shelf 2', 'shelf 3', 'shelf 4'];

/** `mug 1, book 1, shelf 3`: the thing asked for, the thing beside it, and the answer. */
const all = things.flatMap((asked) =>
  things
    .filter((other) => other !== asked)
    .flatMap((other) => places.map((place) => `${asked}, ${other}, ${place}`)),
);

export default {
  tasks: {
    training: all.filter((_, index) => index % 6 !== 0),
    heldOut: all.filter((_, index) => index % 6 === 0),
  },

  begin(task) {
    const [asked, other, place] = task.split(', ');
    /** What was said so far, for small networks: a 1 for the thing asked for, the thing beside it and the place. */
    const said = new Float32Array(things.length + things.length + places.length);
    const seen = (text) => ({ text, arrays: { said: { shape: [said.length], data: said.slice() } } });
    said[things.indexOf(asked)] = 1;
    return {
      observation: seen(`Find the ${asked}.`),
      actions: [...things.map((thing) => `examine ${thing}`), ...places.map((each) => `go to ${each}`)],
      step(call) {
        const answer = (text, reward, done) => ({ observation: seen(text), reward, done });
        if (call === `examine ${asked}`) {
          said[things.length + things.indexOf(other)] = 1;
          return answer(`The ${asked} is with the ${other}.`, 0, false);
        }
        if (call === `examine ${other}`) {
          said[2 * things.length + places.indexOf(place)] = 1;
          return answer(`The ${other} is on ${place}.`, 0, false);
        }
        if (call === `go to ${place}`) return answer(`You see the ${asked}.`, 1, true);
        if (places.some((each) => call === `go to ${each}`)) return answer('You see nothing.', 0, true);
        return answer('Nothing happens.', 0, false);
      },
    };
  },

  /** Looks up the thing, then the thing beside it, then answers. */
  expert(task, { turns }) {
    const [asked, other, place] = task.split(', ');
    const said = (text) => turns.some(({ observation }) => observation === text);
    if (said(`The ${other} is on ${place}.`)) return `go to ${place}`;
    return said(`The ${asked} is with the ${other}.`) ? `examine ${other}` : `examine ${asked}`;
  },

  maxSteps: 6,
  rewards: [0, 1],
};
