/**
 * A second adapter of the policy's model, of its rank, α and layers, as the predictor of what is done in an episode: it reads the first picture and the first
 * prompt, then `%generate%`, and says the actions with ` ||` between them, as in RL4VLM's fork (Bissmella/VLM_finetune). Departure: there the marker
 * begins the answer; and it sees pictures through the projection that the policy has, which may be trained.
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
import { ownNames, storedNames } from './predictor-names.ts';

const [marker, separator] = [' %generate%', ' ||'];

export interface PredictorParts {
  readonly config: PpoConfig;
  readonly model: OpenModel;
  /** it must train its adapter */
  readonly student: Student;
  /** the policy's */
  readonly texts: StepTexts<unknown>;
  /** as a checkpoint has them, or what fresh ones are drawn with */
  readonly parameters: ParameterSet | Random;
}

export interface OpenPredictor {
  readonly predictor: ActionPredictor;
  /** its numbers as they are now */
  files(): TrainedFiles;
}

/** Errors: `usage` where the policy trains no adapter; `data` for numbers of another adapter than the policy's form. */
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
      `--temporal-predictor: is a second adapter beside the one that learns, got --train ${config.trained.parts}; give --train lora or projection,lora, or leave it out`,
    );
  if (kindOf(config.env).robot)
    throw new EmacError(
      'usage',
      `--temporal-predictor: foresees actions that have words, ${config.env} has none; leave it out`,
    );
  const { settings } = student.adapter!;
  const start =
    parameters instanceof Random
      ? drawnAdapter(model.files.config, settings, parameters)
      : adapterOf(ownNames(parameters), settings, 'temporal predictor');
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
    files: () => temporalPredictorFiles(storedNames(learner.adapter.parameters)),
  };
}

function marked(prompt: Prompt): Prompt {
  const last = prompt.at(-1);
  invariant(last?.kind === 'text', 'temporal predictor: a prompt ends with its text');
  return [...prompt.slice(0, -1), { kind: 'text', text: `${last.text}${marker}` }];
}
