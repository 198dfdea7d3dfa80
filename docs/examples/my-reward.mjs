/**
 * A reward of your own: 1 for a win, a little less for each command that the game does not accept.
 * npx emac train --method gigpo --env alfworld --reward docs/examples/my-reward.mjs
 */
export function reward({ won, steps }) {
  return steps.map(({ isValid }, place) => {
    const isLast = place === steps.length - 1;
    return (isLast && won ? 1 : 0) - (isValid ? 0 : 0.1);
  });
}
