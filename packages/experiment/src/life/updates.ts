/**
 * The work after a reinforcement-learning update: write and report its metrics line, and write a checkpoint when due.
 * Checkpoints are due at intervals, after the last update, at a new best, and when training ends early or was asked to
 * stop.
 */
import type { GrpoLine, PpoLine } from '@emac/algorithms';
import { failpoint } from '@emac/files';
import type { CheckpointContent } from '@emac/runs';
import type { BestSoFar } from './best-return.ts';
import type { RunWorkers, Trained, Training, Types, Work } from './recipe.ts';

/** A moment between two updates. */
interface Moment {
  readonly state: { readonly update: number };
}

export interface UpdatesOf<M extends Moment> {
  readonly checkpointEvery: number;
  /** updates of the run */
  readonly last: number;
  readonly best: BestSoFar;
  readonly content: (moment: M) => CheckpointContent;
  /** notified of the update of the next gradients */
  readonly gradients: { at(update: number): void } | null;
}

export interface Updates<M extends Moment> {
  /** An update is over. */
  told(line: PpoLine | GrpoLine): void;
  /** What PPO and GRPO are given alike: where they resume, and that a checkpoint is written when one is due. */
  readonly options: (resume: M | null) => {
    readonly checkpoint: (moment: M) => void;
    readonly resume?: M;
    readonly signal?: AbortSignal;
  };
  /** The end of training in this state, and why it stopped early. */
  ended<S extends Moment['state']>(state: S, remarks?: readonly string[]): Trained<S>;
}

export interface UpdateWorkers extends RunWorkers {
  readonly gradients: { at(update: number): void };
}

/** Training after so many updates; null at the beginning. */
export function trainingAfter<T extends Types>(
  made: number | null,
  { workers, ...parts }: Pick<Training<T>, 'evaluate' | 'train'> & { readonly workers: UpdateWorkers | null },
): Training<T> {
  if (made !== null) workers?.gradients.at(made);
  return { updates: made ?? 0, workers, ...parts };
}

export function updatesOf<M extends Moment>(
  { run, host }: Pick<Work, 'run' | 'host'>,
  { checkpointEvery, last, best, content, gradients }: UpdatesOf<M>,
): Updates<M> {
  const keep = (moment: M): void => {
    const { update } = moment.state;
    const isBetter = update > 0 && (best.isBest || best.isOver);
    const isDue = update % checkpointEvery === 0 || update === last || isBetter;
    if (isDue || host.signal?.aborted) run.checkpoint(content(moment), { loss: best.loss, isExtra: !isDue });
    gradients?.at(update);
  };
  return {
    told(line) {
      best.update(line);
      run.metrics(line);
      host.listener?.reinforced?.(line);
      failpoint('updating');
    },
    options: (resume) => ({
      checkpoint: keep,
      ...(host.signal && { signal: host.signal }),
      ...(resume && { resume }),
    }),
    ended(outcome, remarks = []) {
      const { update } = outcome;
      const stopped = update < last ? `after update ${update} of ${last}: ${best.whyOver}` : null;
      return { outcome, updates: update, stopped, remarks };
    },
  };
}
