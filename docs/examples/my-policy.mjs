/** Guesses a number from 1 to 7: the middle of what earlier answers leave. */
export function act(observation, { actions, history, random }) {
  let [low, high] = [1, 7];
  for (const { command, observation: answer } of history.turns) {
    if (answer.includes('higher')) low = Number(command) + 1;
    if (answer.includes('lower')) high = Number(command) - 1;
  }
  const middle = actions.indexOf(String(Math.floor((low + high) / 2)));
  return middle >= 0 ? middle : Math.floor(random() * actions.length);
}
