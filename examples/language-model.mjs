/** A language model: imitation of an environment's own player, then reward alone from there (GRPO). */
import { learn } from '@emac/experiment';

const environment = 'gym_cards/NumberLine-v0';
const imitated = await learn({
  environment,
  policy: 'rl-tiny',
  method: 'bc',
  settings: {
    trained: { parts: 'lora' },
    play: { rounds: 2, gamesPerRound: 16 },
    evaluation: { episodes: 20 },
  },
  folder: 'runs/language-model-bc',
});
const run = await learn({
  environment,
  policy: imitated.folder,
  method: 'grpo',
  settings: { play: { updates: 4, promptsPerUpdate: 4, groupSize: 4 }, evaluation: { episodes: 20 } },
  folder: 'runs/language-model-grpo',
});
console.log(`imitation raises success: ${imitated.after.success > imitated.before.success + 0.2}`);
console.log(`GRPO keeps or raises it: ${run.after.success >= imitated.after.success}`);
