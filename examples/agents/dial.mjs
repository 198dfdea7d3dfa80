/** What the example agents with a tool meet: a safe whose dial is turned twice. To the right it clicks, which is rewarded. */

export const tasks = { training: ['red', 'green', 'blue', 'grey'], heldOut: ['black', 'white'] };

export const description = 'Turns the dial.';

/** The tool's arguments, as a JSON schema. */
export const parameters = {
  type: 'object',
  properties: { to: { enum: ['left', 'right'] } },
  required: ['to'],
  additionalProperties: false,
};

const most = 2;

/** `turn` says what is heard; `isDone` after two turns; `reward` is the share of clicks. */
export function dial(name) {
  let turns = 0;
  let clicks = 0;
  return {
    question: `Open the ${name} safe.`,
    turn({ to }) {
      turns++;
      if (to === 'right') clicks++;
      return to === 'right' ? 'A click.' : 'Nothing moves.';
    },
    isDone: () => turns === most,
    reward: () => clicks / most,
  };
}
