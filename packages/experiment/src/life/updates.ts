/**
 * The work after a reinforcement-learning update: write and report its metrics line, and write a checkpoint when due.
 * Checkpoints are due at intervals, after the last update, at a new best, and when training ends early or was asked to
 * stop.
 */
import type { GrpoLine, PpoLine } from '@emac/algorithms';
import { failpoint } from '@emac/files';
import type { CheckpointContent } from '@emac/runs';
import type { CheckpointEvery } from '@emac/settings';
import type { BestSoFar } from './best-return.ts';
import { checkpointDue } from './checkpoint-due.ts';
import type { RunWorkers, Training, Types, Work } from './recipe.ts';

/** A moment between two updates. */
interface Moment {
  readonly state: { readonly update: number };
}

interface UpdateTypes extends Types {
  readonly outcome: Moment['state'];
}

export interface UpdateWorkers extends RunWorkers {
  /** notified of the update of the next gradients */
  readonly gradients: { at(update: number): void };
}

export interface Updates<T extends UpdateTypes, M extends Moment> extends Pick<Training<T>, 'evaluate'> {
  /** where it resumes; null at the beginning */
  readonly resume: M | null;
  readonly checkpointEvery: CheckpointEvery;
  /** updates of the run */
  readonly last: number;
  readonly best: BestSoFar;
  readonly workers: UpdateWorkers | null;
  /** of training, as it is shown */
  readonly progress: { readonly total: number; readonly done: number; readonly noun: string };
  content(moment: M): CheckpointContent;
  /** Trains to the end. Errors: those of the method. */
  train(method: GivenMethod<M>): Promise<T['outcome']>;
  /** sentences on the results */
  remarks?(outcome: T['outcome']): readonly string[];
}

/** What PPO and GRPO are given alike. */
interface GivenMethod<M extends Moment> {
  readonly metrics: (line: PpoLine | GrpoLine) => void;
  readonly checkpoint: (moment: M) => void;
  readonly resume?: M;
  readonly signal?: AbortSignal;
}

export function updatesTraining<T extends UpdateTypes, M extends Moment>(
  { run, host, times }: Work,
  { resume, checkpointEvery, last, best, workers, progress, content, ...parts }: Updates<T, M>,
): Training<T> {
  const isTime = checkpointDue(checkpointEvery, host);
  const checkpoint = (moment: M): void => {
    const { update } = moment.state;
    const isBetter = update > 0 && (best.isBest || best.isOver);
    const isDue = isTime(update) || update === last || isBetter;
    if (isDue || host.signal?.aborted) run.checkpoint(content(moment), { loss: best.loss, isExtra: !isDue });
    workers?.gradients.at(update);
  };
  const metrics = (line: PpoLine | GrpoLine): void => {
    best.update(line);
    run.metrics(line);
    host.listener?.reinforced?.(line);
    failpoint('updating');
  };
  if (resume) workers?.gradients.at(resume.state.update);
  return {
    updates: resume?.state.update ?? 0,
    workers,
    evaluate: parts.evaluate,
    async train() {
      const { total, ...begun } = progress;
      host.listener?.begin?.('training', total, begun);
      const more = { ...(host.signal && { signal: host.signal }), ...(resume && { resume }) };
      const outcome = await times.part('training', () => parts.train({ metrics, checkpoint, ...more }));
      const { update } = outcome;
      const stopped = update < last ? `after update ${update} of ${last}: ${best.whyOver}` : null;
      return { outcome, updates: update, stopped, remarks: parts.remarks?.(outcome) ?? [] };
    },
  };
}
