/**
 * Learning rates. All count micro-steps (one micro-batch each; an update has `accumulate` of them), as the published
 * code does.
 *  - `round-cosine`: the published code (LAVIS LinearWarmupCosineLRScheduler, called with the round as epoch and the
 *    micro-step within the round): linear warm-up during round 0, which then stays; from round 1 on a cosine of the
 *    round, constant inside it and never quite the minimum.
 *  - `linear`: the paper's text: linear warm-up, then linear decay to the minimum at the last planned micro-step.
 *  - `constant`: linear warm-up, then constant.
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
  /** micro-steps finished in this run */
  readonly microStep: number;
  /** micro-steps the run will have at most */
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

function warmUp({ learningRate, warmup, warmupStart }: ScheduleSettings, microStep: number): number {
  if (microStep >= warmup) return learningRate;
  return warmupStart + ((learningRate - warmupStart) * microStep) / warmup;
}

function cosine({ learningRate, minimum, rounds }: ScheduleSettings, round: number): number {
  return minimum + 0.5 * (learningRate - minimum) * (1 + Math.cos((Math.PI * round) / rounds));
}

function linearDecay(
  { learningRate, minimum, warmup }: ScheduleSettings,
  position: SchedulePosition,
): number {
  const length = Math.max(1, position.plannedMicroSteps - warmup);
  const done = Math.min(1, (position.microStep - warmup) / length);
  return learningRate + (minimum - learningRate) * done;
}
