/** Defaults that were found by trial for an environment and a policy, for each kind of method. They hold for the preset `tiny`. */
import { learnsPairs, type Phase } from '@emac/algorithms';
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
  readonly world?: { readonly kind?: string | undefined } | undefined;
  readonly speech?: { readonly observe?: string | null | undefined } | undefined;
}

const isTiny = ({ preset = 'tiny' }: Given): boolean => preset === 'tiny';

/** The shipped model in ALFWorld's games, without a start or an adapter. */
function isShippedModelInGames(given: Given): boolean {
  const { env, policy = 'emma-tiny', init, trained } = given;
  const isShipped = env === usualEnvironment && policy === 'emma-tiny' && init == null;
  return isShipped && isTiny(given) && !asksAdapter(trained);
}

interface GivenForLabels extends Given {
  readonly phase: Phase;
  readonly dataset?: object | null | undefined;
  readonly expert?: { readonly kind?: string | undefined } | undefined;
}

/** For methods that learn from labels: the preset's numbers are those of ALFWorld's games. */
export function foundForLabels(given: GivenForLabels): object {
  if (!isTiny(given)) return {};
  const isNetwork = given.policy !== undefined && smallNetworkOf({ policy: given.policy });
  if (isNetwork) {
    const numbers = given.expert?.kind === 'human' ? labelsOfPerson(given.phase) : labelsOfNetworks;
    return merged(fewTasks(given.phase), numbers) as object;
  }
  const isElsewhere = given.env !== undefined && given.env !== usualEnvironment;
  // labels of a language model cost money, those of a person time
  if (isElsewhere || given.expert?.kind === 'openai' || given.expert?.kind === 'human')
    return fewTasks(given.phase);
  return given.dataset ? {} : { evaluation: { episodes: 100 } };
}

/** Few tasks, played by the policy. Updates on the few pairs of a policy that always wins make it forget, so it learns from failures alone. */
function fewTasks(phase: Phase): object {
  const isFromPairs = learnsPairs(phase);
  return {
    play: { rounds: 2, gamesPerRound: 3, expertShare: { start: 0, decay: 1 } },
    samples: isFromPairs ? { trainAfter: 'failed-episodes' } : {},
    optimization: { updatesPerEpisode: 5, batchSize: 8, learningRate: isFromPairs ? 1e-4 : 3e-3 },
  };
}

/**
 * Few games: a person's time costs more than updates. A network that starts at random would ask about every step of games that it loses, so the person acts first.
 * Pairs need more games: those of five come from a handful of states, and nothing in them holds what the policy did right elsewhere, so a pair is also
 * made where both agree (docs/log/labels-and-preferences.md).
 */
function labelsOfPerson(phase: Phase): object {
  const play = { gamesPerRound: 5, episodesPerUpdate: 5 };
  if (learnsPairs(phase)) {
    const pairs = { play: { ...play, gamesPerRound: 20, rounds: 2 }, samples: { agreed: 'random' } };
    return merged(labelsOfNetworks, pairs) as object;
  }
  return {
    play: { ...play, expertShare: { start: 1, decay: 0 }, skipSolved: false },
    optimization: { batchSize: 16, updatesPerEpisode: 16, learningRate: 1e-2, weightDecay: 0 },
  };
}

/** A small network starts at random, and an episode costs it little, so many tasks and updates. */
const labelsOfNetworks = {
  play: { rounds: 8, gamesPerRound: 64, episodesPerUpdate: 16, skipSolved: false },
  optimization: { batchSize: 64, updatesPerEpisode: 4, learningRate: 3e-3, weightDecay: 0 },
};

/** For PPO in games with frames that are played here: only the projection learns, in many small steps from many episodes at once. */
export function foundForPpo(given: Given): object {
  const { world, speech } = given;
  if (!isShippedModelInGames(given) || world?.kind === 'http' || speech?.observe === 'text') return {};
  return {
    play: { environments: 32, environmentSteps: 76_800, stepsPerUpdate: 60, maxSteps: 30 },
    optimization: { minibatchSize: 128, learningRate: 2e-4, finalShare: 0, valueInitSteps: 2 },
    trained: { parts: 'projection' },
  };
}

/** For groups of attempts outside the Lewis game: the model and the number of evaluated episodes differ too. */
export function foundForGroups(given: Given): object {
  const { env } = given;
  if (typeof env !== 'string' || env === lewisGame) return {};
  const policy = given.policy ?? usualModel(env);
  if (smallNetworkOf({ policy })) return { ...groupsOfNetworks, evaluation: { episodes: 20 } };
  const found = isShippedModelInGames({ ...given, policy }) ? groupsInGames : {};
  return merged({ policy, evaluation: { episodes: 20 } }, found) as object;
}

/**
 * The projection learns from many attempts in small steps: at higher rates it leaves what it can. Without a penalty, attempts that teach
 * nothing cost no gradient.
 */
const groupsInGames = {
  play: { updates: 40, promptsPerUpdate: 16, maxSteps: 30, parallelEpisodes: 32 },
  losses: { beta: 0, maxLength: 24 },
  optimization: { learningRate: 5e-5, minibatchSize: 128, finalShare: 1 },
  trained: { parts: 'projection' },
};

/** In a game of guesses, on a grid and with tools. A network starts at random, so no penalty holds it there. */
const groupsOfNetworks = {
  play: { updates: 60, promptsPerUpdate: 16, groupSize: 8 },
  losses: { beta: 0, clip: { low: 0.2, high: 0.2 } },
  optimization: { learningRate: 3e-3, passes: 4 },
};
