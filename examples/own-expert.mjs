/** Your own expert in an environment that exists: bc learns what your function says. */
import { learn } from '@emac/experiment';

/** Reads both numbers and moves the current one towards the target. */
function expert({ history: { initial, turns } }) {
  const [target, current] = (turns.at(-1)?.observation ?? initial).match(/-?\d+/g).map(Number);
  return current < target ? '+' : '-';
}

const run = await learn({
  environment: 'gym_cards/NumberLine-v0',
  method: 'bc',
  expert,
  settings: {
    trained: { parts: 'lora' },
    play: { rounds: 3, gamesPerRound: 32 },
    evaluation: { episodes: 20 },
  },
  folder: 'runs/own-expert',
});
console.log(`success above 0.8: ${run.before.success > 0.8} before, ${run.after.success > 0.8} after`);
