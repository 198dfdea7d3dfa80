/**
 * Learning rates. All count micro-steps (one micro-batch each; an update has `accumulate` of them), as the published code
 * does.
 * - `round-cosine`: the published code (LAVIS LinearWarmupCosineLRScheduler, called with the round as epoch and the
 *   micro-step within the round): linear warm-up during round 0, then the full rate; from round 1 on a cosine of the round
 *   number, constant within a round and never quite the minimum.
 * - `linear`: the paper's text: linear warm-up, then linear decay to the minimum at the last micro-step of the last round.
 * - `constant`: linear warm-up, then constant.
 *
 * The number of updates is not known in advance, because later rounds skip solved tasks. The linear decay therefore counts
 * rounds, whose number is known: every round takes an equal share of the decay, spread evenly over the tasks it plays
 * (`decayStep`). A run ends early, without the shares of its last rounds, if these have nothing left to play.
 */
export type ScheduleKind = 'round-cosine' | 'linear' | 'constant';

export interface ScheduleSettings {
  readonly schedule: ScheduleKind;
  readonly learningRate: number;
  /** micro-steps from `warmupStart` to `learningRate`; 0 for none */
  readonly warmup: number;
  readonly warmupStart: number;
  readonly minimum: number;
  readonly rounds: number;
}

export interface SchedulePosition {
  readonly round: number;
  /** micro-steps finished in this run; counts for the warm-up */
  readonly microStep: number;
  /** progress of the decay: the micro-steps that would be finished if every round were full */
  readonly decayStep: number;
  /** micro-steps of the whole decay, over all rounds */
  readonly plannedMicroSteps: number;
}

/** The learning rate of the next micro-step. */
export function learningRateAt(settings: ScheduleSettings, position: SchedulePosition): number {
  switch (settings.schedule) {
    case 'round-cosine':
      return position.round === 0 ? warmUp(settings, position.microStep) : cosine(settings, position.round);
    case 'linear':
      return position.microStep < settings.warmup
        ? warmUp(settings, position.microStep)
        : linearDecay(settings, position);
    case 'constant':
      return warmUp(settings, position.microStep);
  }
}

export interface RoundPosition {
  readonly round: number;
  /** micro-steps of this round before the next one, if all its tasks have as many */
  readonly before: number;
  /** micro-steps of this round */
  readonly inRound: number;
  /** micro-steps of a round with every task */
  readonly inFullRound: number;
}

/** Progress of the decay before a micro-step: whole rounds, plus the finished share of this one. */
export function decayStepOf({ round, before, inRound, inFullRound }: RoundPosition): number {
  return round * inFullRound + ((before + 1) * inFullRound) / inRound - 1;
}

function warmUp({ learningRate, warmup, warmupStart }: ScheduleSettings, microStep: number): number {
  if (microStep >= warmup) return learningRate;
  return warmupStart + ((learningRate - warmupStart) * microStep) / warmup;
}

function cosine({ learningRate, minimum, rounds }: ScheduleSettings, round: number): number {
  return minimum + 0.5 * (learningRate - minimum) * (1 + Math.cos((Math.PI * round) / rounds));
}

function linearDecay(
  { learningRate, minimum, warmup }: ScheduleSettings,
  { decayStep, plannedMicroSteps }: SchedulePosition,
): number {
  const length = Math.max(1, plannedMicroSteps - warmup);
  const done = Math.min(1, Math.max(0, decayStep - warmup) / length);
  return learningRate + (minimum - learningRate) * done;
}
