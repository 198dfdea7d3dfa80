/**
 * The work after a reinforcement-learning update: write and report its metrics line, and write a checkpoint when due.
 * Checkpoints are due at intervals, after the last update, at a new best, and when training ends early or was asked to
 * stop.
 */
import type { GrpoLine, PpoLine } from '@emac/algorithms';
import { failpoint } from '@emac/files';
import type { CheckpointContent } from '@emac/runs';
import type { BestSoFar } from './best-return.ts';
import type { Work } from './recipe.ts';

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
  /** Writes a checkpoint if one is due. */
  keep(moment: M): void;
  /** Why training stopped at this update; null if it was the last. */
  stopped(state: Moment['state']): string | null;
}

export function updatesOf<M extends Moment>(
  { run, host }: Pick<Work, 'run' | 'host'>,
  { checkpointEvery, last, best, content, gradients }: UpdatesOf<M>,
): Updates<M> {
  return {
    told(line) {
      best.update(line);
      run.metrics(line);
      host.listener?.reinforced?.(line);
      failpoint('updating');
    },
    keep(moment) {
      const { update } = moment.state;
      const isBetter = update > 0 && (best.isBest || best.isOver);
      const isDue = update % checkpointEvery === 0 || update === last || isBetter;
      if (isDue || host.signal?.aborted)
        run.checkpoint(content(moment), { loss: best.loss, isExtra: !isDue });
      gradients?.at(update);
    },
    stopped: ({ update }) => (update < last ? `after update ${update} of ${last}: ${best.whyOver}` : null),
  };
}
