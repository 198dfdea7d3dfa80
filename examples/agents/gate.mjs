/** What the example agents meet: a gate with two guards. Each asks for a word, and likes short ones. */

export const tasks = {
  training: ['north', 'east', 'south', 'west'],
  heldOut: ['river', 'hill'],
};

const guards = 2;
const longest = 8;

/** `say` returns what the guard answers, or null once all have asked; `reward` is 1 for words without a letter. */
export function gate(name) {
  let heard = 0;
  let letters = 0;
  return {
    question: `You stand at the ${name} gate. Say a short word.`,
    say(word) {
      heard++;
      letters += Math.min(word.length, longest);
      return heard === guards ? null : 'Shorter, please.';
    },
    reward: () => 1 - letters / (guards * longest),
  };
}
