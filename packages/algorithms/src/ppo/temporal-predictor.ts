/**
 * The predictor of an episode's actions, beside a policy. Before it judges an update's steps it learns from earlier
 * ended episodes, by imitation as on a dataset, in four passes with four episodes a step. So the first update has no
 * bonus.
 *
 * Departures from RL4VLM's fork: an optimizer step follows every four episodes, with separate moments kept between
 * updates. Fallback actions are learned too, but earn nothing. Its learning rate is the policy's first.
 */
import { invariant, type Prompt } from '@emac/core';
import { trainingSeed, type CollectedSteps } from '@emac/rollout';
import { initialOfflineState } from '../offline/offline-state.ts';
import { trainOffline } from '../offline/offline.ts';
import { presetSettings } from '../presets.ts';
import type { OptimizationSettings } from '../label-settings.ts';
import {
  actedEpisodes,
  noveltiesOf,
  noveltyBonuses,
  sequenceOf,
  surprisals,
  temporalStateAfter,
  type ActedEpisode,
  type ActionSequence,
  type EndedEpisode,
  type ScoredEpisode,
  type TemporalState,
} from './novelty.ts';
import type { RunningPpo } from './ppo-run.ts';
import type { PpoOptimizationSettings } from './ppo-settings.ts';

export interface Predicted {
  /** to each advantage [S · E]; null before anything was learned */
  readonly bonuses: Float64Array | null;
  /** after the update */
  readonly state: TemporalState;
  readonly measures: {
    /** −log p per token of the sequences, mean over the passes; null without episodes to learn from */
    readonly predictor_loss: number | null;
    /** in nats, before scaling, over counted steps; null without any */
    readonly mean_novelty: number | null;
  };
}

type PredictingRun = Pick<RunningPpo<unknown>, 'predicting' | 'random' | 'settings' | 'state'>;

/**
 * Null without a predictor. Changes the predictor. Errors: `check-failed` for numbers that are not finite; those of the
 * predictor.
 */
export async function predicted(
  run: PredictingRun,
  steps: CollectedSteps<unknown>,
): Promise<Predicted | null> {
  const { temporalPredictor: scale } = run.settings.shaping;
  if (scale === 0) return null;
  const before = run.state.temporal ?? null;
  const acted = actedEpisodes(numbered(steps), before?.running ?? null);
  const state = temporalStateAfter(before, acted);
  const loss = await learn(run, before?.kept ?? []);
  if (loss === null) return { bonuses: null, state, measures: { predictor_loss: null, mean_novelty: null } };
  const failed = acted.ended.filter((episode) => episode.return <= 0);
  const novelties = noveltiesOf(steps, await scored(run, failed));
  const counted = novelties.filter((novelty) => novelty !== null);
  const mean = counted.reduce((sum, novelty) => sum + novelty, 0) / counted.length;
  return {
    bonuses: noveltyBonuses(novelties, scale),
    state,
    measures: { predictor_loss: loss, mean_novelty: counted.length > 0 ? mean : null },
  };
}

/** Sequences are of actions that have a number. */
function numbered({ actions, ...steps }: CollectedSteps<unknown>): CollectedSteps {
  const isNumbered = actions.every((action) => typeof action === 'number');
  invariant(isNumbered, 'PPO: --temporal-predictor needs numbered actions');
  return { ...steps, actions } as CollectedSteps;
}

const [epochs, batchSize] = [4, 4];

/** Returns the mean loss of the passes; null without episodes to learn from. */
async function learn(run: PredictingRun, kept: readonly ActedEpisode[]): Promise<number | null> {
  const { predicting, random, settings, state } = run;
  invariant(predicting, 'PPO: --temporal-predictor needs a predictor of actions');
  const samples = (await sequencesOf(run, kept)).map(({ prompt, tokens }) => ({
    prompt,
    output: tokens,
    worse: null,
  }));
  if (samples.length === 0) return null;
  const draws = random.stream('temporal predictor').stream(state.update);
  const begun = initialOfflineState({ phase: 'bc', randomPath: draws.path, samples: samples.length });
  const losses: number[] = [];
  await trainOffline({
    phase: 'bc',
    settings: {
      optimization: optimizationOf(settings.optimization),
      preference: presetSettings('tiny', 'bc').preference,
    },
    epochs,
    policy: predicting.predictor.policy,
    reference: null,
    data: { length: samples.length, sample: (index) => Promise.resolve(samples[index]!) },
    validation: null,
    random: draws,
    metrics: (line) => void (line.kind === 'round' && losses.push(line['loss'] as number)),
    checkpoint: ({ optimizer }) => void (predicting.optimizer = optimizer),
    ...(predicting.optimizer && { resume: { state: begun, optimizer: predicting.optimizer } }),
  });
  return losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
}

function optimizationOf({
  learningRate,
  betas,
  epsilon,
  weightDecay,
}: PpoOptimizationSettings): OptimizationSettings {
  return {
    updatesPerEpisode: 1,
    batchSize,
    accumulate: 1,
    replacement: false,
    schedule: 'constant',
    learningRate,
    warmup: 0,
    warmupStart: 0,
    minimum: 0,
    clipNorm: null,
    lossScaling: null,
    betas,
    epsilon,
    weightDecay,
  };
}

async function scored(run: PredictingRun, failed: readonly EndedEpisode[]): Promise<ScoredEpisode[]> {
  const sequences = await sequencesOf(run, failed);
  const rows = sequences.map(({ prompt, tokens }) => ({ prompt, answers: [tokens] }));
  const scores = await run.predicting!.predictor.policy.score(rows);
  return sequences.map((sequence, place) => ({
    ...sequence.episode,
    surprisals: surprisals(sequence, scores[place]![0]!),
  }));
}

interface EpisodeSequence<Episode> extends ActionSequence {
  readonly episode: Episode;
  readonly prompt: Prompt;
}

/** Sequences of all episodes with an action that fits. Levels are rebuilt from their seeds, one after another. */
async function sequencesOf<Episode extends ActedEpisode>(
  { predicting, random }: PredictingRun,
  episodes: readonly Episode[],
): Promise<EpisodeSequence<Episode>[]> {
  const { predictor } = predicting!;
  const found: EpisodeSequence<Episode>[] = [];
  for (const episode of episodes) {
    const prompt = await predictor.prompt(trainingSeed(random, episode.environment, episode.episode));
    const sequence = sequenceOf(episode.actions, predictor.words, predictor.room(prompt));
    if (sequence.tokens.length > 0) found.push({ ...sequence, episode, prompt });
  }
  return found;
}
