/**
 * Learning rates. All count micro-steps (one micro-batch each; an update has `accumulate` of them), as the published
 * code does.
 *  - `round-cosine`: the published code (LAVIS LinearWarmupCosineLRScheduler, called with the round as epoch and the
 *    micro-step within the round): linear warm-up during round 0, which then stays; from round 1 on a cosine of the
 *    round, constant inside it and never quite the minimum.
 *  - `linear`: the paper's text: linear warm-up, then linear decay to the minimum at the last micro-step of the last round.
 *  - `constant`: linear warm-up, then constant.
 *
 * How many updates a run will make is not known in advance, since solved tasks are left out of later rounds. The unit of the
 * linear decay is therefore the round, whose number is known: every round takes an equal share of the decay, spread evenly
 * over the tasks that it plays (`decayStep`). A run whose last rounds have nothing left to play ends before their shares.
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
  /** micro-steps finished in this run: what the warm-up counts */
  readonly microStep: number;
  /** where the decay stands: the same, had every round all its micro-steps */
  readonly decayStep: number;
  /** micro-steps that the decay takes, all rounds together */
  readonly plannedMicroSteps: number;
}

/** The learning rate of the micro-step that comes next. */
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
  /** micro-steps of this round that come before the next one, if all its tasks have as many */
  readonly before: number;
  /** micro-steps of this round */
  readonly inRound: number;
  /** micro-steps of a round that plays every task */
  readonly inFullRound: number;
}

/** How far the decay has come before a micro-step: whole rounds, and the share of this one that is done. */
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
