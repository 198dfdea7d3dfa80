/** The settings of a run with all values in use: the requested ones, and those of the starting policy. */
import type { TrainingSettings } from '@emac/algorithms';
import type { Adapter } from '@emac/backbone';
import type { OpenedKind } from '@emac/core';
import {
  partsInUse,
  type AskedForm,
  type OpenModel,
  type ProjectionStart,
  type RunPlay,
  type SpokenForm,
} from '@emac/opening';
import { isEnvironmentModule, usualEnvironment, type TrainConfig } from '@emac/settings';
import { initOf } from './start.ts';

export interface Resolving {
  readonly model: OpenModel;
  readonly speech: SpokenForm;
  readonly start: ProjectionStart;
  readonly referenceStart: ProjectionStart | null;
}

/** The settings in use whatever the policy is made of. */
export function settingsInUse(
  config: TrainConfig,
  { play, kind }: { readonly play: RunPlay; readonly kind: OpenedKind },
): TrainConfig {
  return {
    ...config,
    // a module keeps its path, needed on the next call
    env: isEnvironmentModule(config.env) ? config.env : kind.id,
    games: (config.dataset ? null : play.kind?.tasks.training.list?.source) ?? config.games,
    play: { ...config.play, maxSteps: config.play.maxSteps ?? kind.maxSteps },
    probe: config.probe ?? (!['openai', 'human'].includes(config.expert.kind) && play.arriving === null),
  };
}

/** Thoughts, observations and the restriction to admissible commands belong to the policy. */
export function resolved(
  config: TrainConfig,
  { model, speech, start, referenceStart }: Resolving,
): TrainConfig {
  const form = start.form ?? referenceStart?.form ?? null;
  const { generation, text } = speech;
  const thoughts = config.expert.thoughts || (form?.text.thoughts ?? false);
  return {
    ...config,
    init: initOf(config, model),
    start: {
      ...config.start,
      projection: start.projection && start.projection.kind,
      hidden: start.projection && start.projection.hidden,
    },
    trained: trainedInUse({ ...config.trained, parts: partsInUse(config, model.files) }, start.adapter),
    play: { ...config.play, admissibleOnly: config.play.admissibleOnly ?? form?.admissibleOnly ?? false },
    expert: { ...config.expert, thoughts },
    speech: {
      ...generation,
      maxPromptTokens: text.maxTokens,
      observe: text.observe,
      ...(text.dialogue && text.dialogue !== 'messages' && { dialogue: text.dialogue }),
    },
  };
}

/** The trained parts, with the settings of a trained adapter. */
export function trainedInUse<Trained extends TrainConfig['trained']>(
  trained: Trained,
  adapter: Adapter | null,
): Trained {
  if (!adapter || !trained.parts?.includes('lora')) return trained;
  const { rank, alpha, dropout, targets } = adapter.settings;
  return { ...trained, rank, alpha, dropout, targets: targets.join() };
}

/** The algorithm's part of the settings. */
export function settingsOf({ play, samples, optimization, preference }: TrainConfig): TrainingSettings {
  return {
    play: {
      ...play,
      maxSteps: play.maxSteps!,
      admissibleOnly: play.admissibleOnly ?? false,
    },
    samples,
    optimization,
    preference,
  };
}

/** The form of the policy that is trained. */
export function formOf(
  { play, expert }: TrainConfig,
  { generation, text, kind }: SpokenForm & { readonly kind: OpenedKind },
): AskedForm {
  return {
    ...(kind.id !== usualEnvironment && { env: kind.id }),
    generation,
    text: { ...text, thoughts: expert.thoughts },
    maxSteps: play.maxSteps ?? kind.maxSteps,
    admissibleOnly: play.admissibleOnly ?? false,
  };
}
