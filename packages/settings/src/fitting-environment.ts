/** Settings that are about the games of ALFWorld, refused in other environments. */
import { EmacError } from '@emac/core';
import type { EvaluationConfig } from './evaluation-config.ts';
import { heldOutSuite } from './groups/model.ts';
import type { TrainConfig } from './train-config.ts';
import { usualEnvironment } from './usual-environment.ts';

/** Errors: `usage` for the first setting that has no meaning in the environment. */
export function requireFittingTraining({
  env,
  play,
  expert,
  speech,
  start,
  curriculum,
  evaluation,
}: TrainConfig): void {
  refuse(env, {
    '--games': play.games !== null,
    '--student-memory': play.policyMemory,
    '--curriculum': curriculum.formula !== null,
    '--expert planner': expert.kind === 'planner',
    // it is shown a history in words and examples from households
    '--expert openai': expert.kind === 'openai',
    '--observe image': speech.observe === 'image',
    '--carry': start.carry !== null,
    '--eval-on': evaluation.on !== heldOutSuite,
  });
}

/** Errors: as `requireFittingTraining`. */
export function requireFittingEvaluation(env: string, { games, speech }: EvaluationConfig): void {
  refuse(env, {
    '--games': games !== heldOutSuite,
    '--observe image': speech.observe === 'image',
  });
}

/** Errors: `usage` for frames alone where texts have no contents to hide. */
export function requireFittingObserve(
  env: string,
  { observe }: Pick<TrainConfig['speech'], 'observe'>,
): void {
  refuse(env, { '--observe image': observe === 'image' });
}

function refuse(env: string, settings: Readonly<Record<string, boolean>>): void {
  if (env === usualEnvironment) return;
  const flag = Object.keys(settings).find((name) => settings[name]);
  if (flag !== undefined)
    throw new EmacError('usage', `${flag}: is for the games of ALFWorld, got --env ${env}; leave it out`);
}
