/** The trial of a dry run: the first games or records of an evaluation, a few steps each. */
import type { Dataset } from '@emac/datasets';
import {
  exactly,
  expectedPolicy,
  firstTasksOf,
  heard,
  onlyPlay,
  parallelOf,
  shortestOf,
  stepsOf,
  type EvaluatedPolicy,
  type Expected,
  type RunPlay,
  type Trial,
} from '@emac/opening';
import type { EvaluationConfig } from '@emac/settings';

export interface EvaluatedParts {
  readonly opened: EvaluatedPolicy;
  /** null for an evaluation of games */
  readonly dataset: Dataset | null;
  /** null for one of a dataset */
  readonly play: RunPlay | null;
}

/** The parts themselves without a trial. */
export function inTrial(
  parts: EvaluatedParts,
  config: Pick<EvaluationConfig, 'parallelEpisodes'>,
  trial: Trial | undefined,
): EvaluatedParts {
  if (!trial) return parts;
  const { opened, dataset, play } = parts;
  const together = config.parallelEpisodes ?? parallelOf(opened.student);
  trial.opened(expected(parts, together));
  const games = Math.max(1, Math.min(together, Math.floor(trial.size / 2)));
  const maxSteps = Math.min(opened.form.maxSteps, Math.ceil(trial.size / games));
  return {
    opened: { ...opened, student: heard(opened.student, trial), form: { ...opened.form, maxSteps } },
    dataset,
    play: play && firstTasksOf(play, games),
  };
}

function expected({ opened, dataset, play }: EvaluatedParts, together: number): Expected {
  const { form } = opened;
  return {
    ...onlyPlay,
    of: dataset ? `${dataset.length} samples` : `${play!.tasks().length} games, one attempt each`,
    policy: expectedPolicy(opened, opened.student),
    noun: dataset ? 'sample' : 'step',
    size: together,
    together,
    played: dataset ? exactly(dataset.length) : stepsOf(shortestOf(play!), form.maxSteps),
    maxSteps: form.maxSteps,
    maxTextTokens: dataset ? null : form.text.maxTokens,
  };
}
