/**
 * The work of imitation and preference learning. The length of games is unknown, so counts have two bounds: every game
 * is won by a shortest way at the first attempt, or every game reaches its step limit in every round.
 */
import { checkpointsOf } from '../life/checkpoint-due.ts';
import { learnsPairs } from '@emac/algorithms';
import type { TrainConfig } from '@emac/settings';
import {
  exactly,
  sumOf,
  expectedPolicy,
  freeTeacherName,
  nothing,
  product,
  shortestOf,
  stepsOf,
  type Expected,
  type Range,
} from '@emac/opening';
import { gamesOfRound } from './game-curriculum.ts';
import type { TrainingPlan } from './plan.ts';
import { togetherIn } from './trial.ts';

export function expectedTraining(plan: TrainingPlan): Expected {
  const { config, form, evaluated, policy, language } = plan;
  const { countAnswerTokens } = policy.learner;
  const expert = plan.teacher.isPaid ? freeTeacherName : 'the expert';
  return {
    ...(plan.offline ? onDataset(plan) : onGames(plan)),
    policy: expectedPolicy(policy, policy.learner),
    labels: { from: plan.offline ? 'the dataset' : expert, countAnswerTokens },
    maxTextTokens: language && !plan.offline ? config.speech.maxPromptTokens! : null,
    heldOut: { episodes: evaluated.tasks().length, steps: stepsOf(shortestOf(evaluated), form.maxSteps) },
    maxSteps: form.maxSteps,
  };
}

type OfTraining = Omit<Expected, 'policy' | 'heldOut' | 'maxSteps' | 'labels' | 'maxTextTokens'>;

/** Nothing in a dataset is unknown. */
function onDataset({ config, offline }: TrainingPlan): OfTraining {
  const { batchSize, accumulate, updates: limit } = config.optimization;
  const { epochs, checkpointEvery } = config.dataset!;
  const { data, validation } = offline!;
  const rows = batchSize * accumulate;
  const updates = Math.min(limit ?? Infinity, epochs * Math.ceil(data.length / rows));
  return {
    of: `${data.length} samples, ${epochs} epochs`,
    noun: 'sample',
    size: rows,
    together: rows,
    played: nothing,
    learned: exactly(Math.min(updates * rows, epochs * data.length)),
    measured: validation && { samples: exactly(validation.length), times: epochs + 1 },
    checkpoints: {
      written: sumOf([exactly(epochs + 1), checkpointsOf(checkpointEvery, updates)]),
      rounds: 0,
    },
    expert: null,
  };
}

function onGames(plan: TrainingPlan): OfTraining {
  const { config, play, form, teacher, evaluated } = plan;
  const { rounds, episodesPerUpdate } = config.play;
  const shortest = shortestOf(play);
  const { played, updates, inRound } = roundsOf(config, shortest, form.maxSteps);
  const { batchSize, accumulate } = config.optimization;
  const rows = plan.language ? batchSize * accumulate : 1;
  const together = togetherIn(plan);
  const groups = Math.ceil(inRound / episodesPerUpdate);
  const probed = config.probe === false ? nothing : stepsOf(shortest, form.maxSteps);
  return {
    of: `${shortest.length} games, ${rounds} rounds; evaluation on ${evaluated.tasks().length} games before and after`,
    noun: 'step',
    size: together * form.maxSteps,
    together,
    played,
    learned: product(updates, exactly(rows)),
    measured: config.probe === false ? null : { samples: probed, times: rounds + 1 },
    // at the beginning, after every group of episodes but the last of a round, and after every round
    checkpoints: { written: { least: 1 + groups, most: 1 + rounds * Math.max(1, groups) }, rounds },
    expert: {
      promptTokens: teacher.promptTokens,
      calls: { least: played.least + probed.least, most: played.most + probed.most + rounds * inRound },
      config: config.expert.languageModel,
    },
  };
}

/** Steps and updates of all rounds, and games of one. */
export function roundsOf(
  {
    play,
    samples,
    optimization,
    phase,
    curriculum,
  }: Pick<TrainConfig, 'play' | 'samples' | 'optimization' | 'phase' | 'curriculum'>,
  shortest: readonly number[],
  maxSteps: number,
): { readonly played: Range; readonly updates: Range; readonly inRound: number } {
  const { formula, games } = curriculum;
  const inRound = formula === null ? shortest.length : gamesOfRound(games, shortest.length);
  // the shortest games of the list at least
  const ordered = shortest.toSorted((one, other) => one - other);
  const steps = stepsOf(ordered.slice(0, inRound), maxSteps);
  const leastRounds = play.skipSolved ? 1 : play.rounds;
  // a game that is won at once may teach nothing: failed ones alone are learned from, or equal pairs are dropped
  const mayTeachNothing = samples.trainAfter === 'failed-episodes' || learnsPairs(phase);
  const { updatesPerEpisode, updates: limit } = optimization;
  const atMost = (episodes: number) => Math.min(limit ?? Infinity, episodes * inRound * updatesPerEpisode);
  return {
    played: { least: leastRounds * steps.least, most: play.rounds * steps.most },
    updates: { least: mayTeachNothing ? 0 : atMost(leastRounds), most: atMost(play.rounds) },
    inRound,
  };
}
