/** Results of evaluations under the names that published code logs them by. */
import type { PpoEvaluation } from './ppo-evaluation.ts';

/** Adds the keys of RL4VLM's code for the same values. */
export function withPublishedNames(result: PpoEvaluation): object {
  const returns = result.games.map((game) => game.return).sort((a, b) => a - b);
  const middle = (returns.length - 1) / 2;
  return {
    ...result,
    'episode_reward.mean': result.mean_return,
    'episode_reward.median': (returns[Math.floor(middle)]! + returns[Math.ceil(middle)]!) / 2,
    'episode_reward.min': returns[0],
    'episode_reward.max': returns.at(-1),
    'episode_success_rate.mean': result.success,
  };
}
