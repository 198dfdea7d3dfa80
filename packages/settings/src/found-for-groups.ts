/** Settings of GRPO, GiGPO and HGPO that were found by trial for an environment and a policy. */
import { asksAdapter } from './groups/adapter.ts';
import { merged } from './merged.ts';
import { smallNetworkOf } from './small-networks.ts';
import { lewisGame, usualEnvironment, usualModel } from './usual-environment.ts';

/** Of a configuration, unchecked. */
interface Given {
  readonly env?: string | undefined;
  readonly preset?: string | undefined;
  readonly policy?: string | undefined;
  readonly init?: string | null | undefined;
  readonly trained?: object | undefined;
}

/** Settings that differ outside the Lewis game: the model, the number of evaluated episodes, and those found by trial. */
export function foundForGroups({ env, preset, policy: given, init, trained }: Given): object {
  if (typeof env !== 'string' || env === lewisGame) return {};
  const policy = given ?? usualModel(env);
  if (smallNetworkOf({ policy })) return { ...foundForNetworks, evaluation: { episodes: 20 } };
  const isShipped = policy === 'emma-tiny' && init == null;
  const isUsual = (preset ?? 'tiny') === 'tiny' && !asksAdapter(trained);
  const isFound = env === usualEnvironment && isShipped && isUsual;
  return merged({ policy, evaluation: { episodes: 20 } }, isFound ? foundForGames : {}) as object;
}

/**
 * Found by trial for ALFWorld's games and the shipped model, which wins one sampled attempt in seventy. Its projection learns from a
 * few wins at this rate; an adapter saw none in 160 attempts. Without a penalty, attempts that teach nothing cost no gradient.
 */
const foundForGames = {
  play: { updates: 20, promptsPerUpdate: 12, maxSteps: 30, parallelEpisodes: 32 },
  losses: { beta: 0, maxLength: 24 },
  optimization: { learningRate: 1e-3, minibatchSize: 600, finalShare: 1 },
  trained: { parts: 'projection' },
};

/**
 * Found by trial for small networks, in a game of guesses, on a grid and with tools. One starts at random, so no penalty holds it
 * there.
 */
const foundForNetworks = {
  play: { updates: 60, promptsPerUpdate: 16, groupSize: 8 },
  losses: { beta: 0, clip: { low: 0.2, high: 0.2 } },
  optimization: { learningRate: 3e-3, passes: 4 },
};
