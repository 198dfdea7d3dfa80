/**
 * A second adapter of the policy's model predicts the actions of an episode, with the policy's rank, α and layers. It
 * reads the first picture and prompt, then `%generate%`, and answers with the actions joined by ` ||`, as in RL4VLM's
 * fork (Bissmella/VLM_finetune). Departure: in the fork the marker begins the answer; here pictures pass through the
 * policy's projection, which may be trained.
 */
import type { ActionPredictor } from '@emac/algorithms';
import { adapterOf } from '@emac/backbone';
import { EmacError, invariant, Random, seenOf, type ParameterSet, type Prompt } from '@emac/core';
import { drawnAdapter, type Student } from '@emac/model';
import type { StepTexts } from '@emac/rollout';
import { temporalPredictorFiles, type TrainedFiles } from '@emac/runs';
import type { PpoConfig } from '@emac/settings';
import { kindOf } from '../environments/kind-of.ts';
import type { OpenModel } from '../models/model.ts';
import { numberedEnvironment } from './ppo-environments.ts';
import { ofPredictor, ownNames, storedNames } from '../models/stored-names.ts';

const [marker, separator] = [' %generate%', ' ||'];

export interface PredictorParts {
  readonly config: PpoConfig;
  readonly model: OpenModel;
  /** it must train its adapter */
  readonly student: Student;
  /** the policy's */
  readonly texts: StepTexts<unknown>;
  /** a checkpoint's, or the generator of new ones */
  readonly parameters: ParameterSet | Random;
}

export interface OpenPredictor {
  readonly predictor: ActionPredictor;
  /** its numbers as they are now */
  files(): TrainedFiles;
}

/** Errors: `usage` if the policy trains no adapter; `data` for parameters that do not fit the policy's form. */
export function openTemporalPredictor({
  config,
  model,
  student,
  texts,
  parameters,
}: PredictorParts): OpenPredictor {
  if (!config.trained.parts.includes('lora'))
    throw new EmacError(
      'usage',
      `--temporal-predictor: adds a second adapter beside the policy's, got --train ${config.trained.parts}; give --train lora or projection,lora, or leave it out`,
    );
  if (kindOf(config.env).robot)
    throw new EmacError(
      'usage',
      `--temporal-predictor: predicts actions in words, but ${config.env} has none; leave it out`,
    );
  const { settings } = student.adapter!;
  const start =
    parameters instanceof Random
      ? drawnAdapter(model.files.config, settings, parameters)
      : adapterOf(ownNames(parameters, ofPredictor), settings, 'temporal predictor');
  const learner = student.beside(start);
  const environment = numberedEnvironment(config);
  return {
    predictor: {
      policy: learner,
      prompt: async (seed) => {
        environment.reset(seed);
        return marked(await texts.prompt(seenOf(environment, texts)));
      },
      room: (prompt) => student.answerRoom(prompt),
      words: {
        actions: environment.actions.map((word) => student.answerTokens(` ${word}`)),
        separator: student.answerTokens(separator),
      },
    },
    files: () => temporalPredictorFiles(storedNames(learner.adapter.parameters, ofPredictor)),
  };
}

function marked(prompt: Prompt): Prompt {
  const last = prompt.at(-1);
  invariant(last?.kind === 'text', 'temporal predictor: a prompt ends with its text');
  return [...prompt.slice(0, -1), { kind: 'text', text: `${last.text}${marker}` }];
}
