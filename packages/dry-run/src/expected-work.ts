/**
 * The amount of work, counted before it begins. The length of games is unknown, so counts have two bounds: every game
 * is won by a shortest way at the first attempt, or every game reaches its step limit in every round.
 */
import { learnsPairs } from '@emac/algorithms';
import { gamesOfRound } from '@emac/experiment';
import type { TrainConfig } from '@emac/settings';
import { exactly, nothing, type Range } from './range.ts';

/** A part of a run, in the things that take time. */
export interface PartOfWork {
  readonly name: string;
  /** commands that the policy chooses */
  readonly decisions: Range;
  /** pictures encoded; repeated ones cost less */
  readonly pictures: Range;
  /** optimizer updates */
  readonly updates: Range;
  /** samples that are scored without a gradient */
  readonly scored: Range;
}

/** Steps of the games played: `shortest` for each, and the step limit. */
export interface PlayedGames {
  readonly shortest: readonly number[];
  readonly maxSteps: number;
}

export const noWork = { decisions: nothing, pictures: nothing, updates: nothing, scored: nothing };

/** Steps of one attempt at every game. */
export function stepsOf({ shortest, maxSteps }: PlayedGames): Range {
  const least = shortest.reduce((sum, steps) => sum + Math.min(steps, maxSteps), 0);
  return { least, most: shortest.length * maxSteps };
}

/** One attempt at every game, without an expert. */
export function evaluationWork(name: string, games: PlayedGames): PartOfWork {
  const steps = stepsOf(games);
  return { ...noWork, name, decisions: steps, pictures: steps };
}

/** Training on games: rounds of play with updates after every episode. */
export function roundsWork(
  {
    play,
    samples,
    optimization,
    phase,
    curriculum,
  }: Pick<TrainConfig, 'play' | 'samples' | 'optimization' | 'phase' | 'curriculum'>,
  games: PlayedGames,
): PartOfWork & { readonly episodes: Range } {
  const inRound = inRoundOf(curriculum, games.shortest.length);
  const steps = stepsOfRound(games, inRound);
  const leastRounds = play.skipSolved ? 1 : play.rounds;
  const episodes = { least: leastRounds * inRound, most: play.rounds * inRound };
  const all = { least: leastRounds * steps.least, most: play.rounds * steps.most };
  // a game that is won at once may teach nothing: failed ones alone are learned from, or equal pairs are dropped
  const mayTeachNothing = samples.trainAfter === 'failed-episodes' || learnsPairs(phase);
  const learned = { least: mayTeachNothing ? 0 : episodes.least, most: episodes.most };
  const { updatesPerEpisode } = optimization;
  return {
    name: 'training',
    decisions: all,
    pictures: all,
    updates: { least: learned.least * updatesPerEpisode, most: learned.most * updatesPerEpisode },
    // the reference judges every pair once
    scored: learnsPairs(phase) ? { least: 0, most: all.most } : nothing,
    episodes,
  };
}

/** Games that a round plays. */
export function inRoundOf({ formula, games }: TrainConfig['curriculum'], listed: number): number {
  return formula === null ? listed : gamesOfRound(games, listed);
}

/** Of so many of the games: the shortest of them at least. */
function stepsOfRound({ shortest, maxSteps }: PlayedGames, inRound: number): Range {
  const ordered = shortest.toSorted((one, other) => one - other);
  return stepsOf({ shortest: ordered.slice(0, inRound), maxSteps });
}

/** The expert plays every training game once, and its steps are measured before training and after every round. */
export function probeWork(
  { play, phase }: Pick<TrainConfig, 'play' | 'phase'>,
  games: PlayedGames,
): PartOfWork {
  const steps = stepsOf(games);
  const measures = play.rounds + 1;
  return {
    ...noWork,
    name: 'probe',
    // for pairs the policy is asked too
    decisions: learnsPairs(phase) ? steps : nothing,
    pictures: steps,
    scored: { least: steps.least * measures, most: steps.most * measures },
  };
}

export interface SampleCounts {
  readonly samples: number;
  readonly validation: number;
  readonly epochs: number;
  readonly samplesOfUpdate: number;
  readonly isJudged: boolean;
}

/** Training on a dataset: nothing in it is unknown. */
export function datasetWork(counts: SampleCounts): PartOfWork {
  const { samples, validation, epochs, samplesOfUpdate, isJudged } = counts;
  return {
    name: 'training',
    decisions: nothing,
    pictures: exactly(samples + validation),
    updates: exactly(epochs * Math.ceil(samples / samplesOfUpdate)),
    scored: exactly((epochs + 1) * validation + (isJudged ? samples + validation : 0)),
  };
}
