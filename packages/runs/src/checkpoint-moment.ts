/** The training progress at a checkpoint, from its state. */

export interface CheckpointMoment {
  readonly unit: 'round' | 'epoch' | 'update';
  /** how many were over */
  readonly over: number;
  /** progress in the next one: episodes of a round, samples of an epoch */
  readonly begun: number;
  /** the next one has not begun */
  readonly isAtEnd: boolean;
}

/** Training on games counts rounds, on a dataset epochs, reinforcement updates. */
interface Counted {
  readonly round?: number;
  readonly done?: number;
  readonly playing?: readonly number[] | null;
  readonly epoch?: number;
  readonly taken?: number;
  readonly update?: number;
}

/** Null for a state that counts nothing. */
export function checkpointMoment(state: object): CheckpointMoment | null {
  const { training } = state as { readonly training?: Counted | null };
  const { round, done = 0, playing = null, epoch, taken = 0, update } = training ?? {};
  if (round !== undefined)
    return { unit: 'round', over: round, begun: done, isAtEnd: round > 0 && playing === null };
  if (epoch !== undefined)
    return { unit: 'epoch', over: epoch, begun: taken, isAtEnd: epoch > 0 && taken === 0 };
  return update === undefined ? null : { unit: 'update', over: update, begun: 0, isAtEnd: update > 0 };
}

/** A round of training on games had just ended. */
export function endsRound(state: object): boolean {
  const moment = checkpointMoment(state);
  return moment?.unit === 'round' && moment.isAtEnd;
}
