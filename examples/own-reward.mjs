/** Your own reward: a function around an environment changes what GRPO learns, here to walk far instead of to stop. */
import { learn } from '@emac/experiment';

/** The environment pays for stopping. */
const walk = {
  name: 'walk',
  tasks: { training: ['a', 'b', 'c', 'd'], heldOut: ['e', 'f', 'g', 'h'] },
  maxSteps: 7,
  begin: () => ({
    observation: 'You walk.',
    actions: ['go on', 'stop'],
    step: (action) => ({
      observation: 'You walk on.',
      reward: Number(action === 'stop'),
      done: action === 'stop',
    }),
  }),
};

/** The same environment with `reward(step, action)` in place of its own. */
function rewarded(environment, reward) {
  const begin = (task, seed) => {
    const episode = environment.begin(task, seed);
    const step = (action) => {
      const taken = episode.step(action);
      return { ...taken, reward: reward(taken, action) };
    };
    return { ...episode, step };
  };
  return { ...environment, begin };
}

const settings = {
  play: { updates: 6, promptsPerUpdate: 4, groupSize: 4, admissibleOnly: true },
  evaluation: { episodes: 4 },
};
const far = rewarded(walk, ({ done }) => (done ? 0 : 1));
for (const [name, environment] of [
  ['stop', walk],
  ['far', far],
]) {
  const run = await learn({ environment, method: 'grpo', settings, folder: `runs/own-reward-${name}` });
  console.log(`${name}: ${run.after.mean_steps} steps`);
}
