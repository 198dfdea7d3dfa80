/** One update of DAgger: samples drawn from the buffer of all rounds, their gradient, the optimizer's step. */
import { applyUpdate, decayStepOf, learningRateAt, lossScaleOf, type Measures } from '@emac/optim';
import type { Running } from './dagger-run.ts';
import type { MicroStep } from './progress.ts';
import { roundSize, updatedEpisode } from './rounds.ts';

export interface MadeUpdate {
  /** its number in the run */
  readonly update: number;
  /** the episode of the group that it was made for */
  readonly index: number;
  readonly learningRate: number;
  readonly measures: Measures;
  readonly microSteps: readonly MicroStep[];
}

/** Changes parameters and optimizer, and counts. Errors: `check-failed` for numbers that are not finite. */
export async function updateOnce(run: Running): Promise<MadeUpdate> {
  const { state, settings, policy, learner, optimizer } = run;
  const { batchSize, accumulate, replacement, lossScaling } = settings.optimization;
  const index = updatedEpisode(run);
  const random = run.random.stream('samples').stream(state.updates);
  const lossScale = lossScaleOf(lossScaling, state.lossScale);
  const gradient = await learner.gradient(
    { batchSize, accumulate, replacement, random },
    lossScale?.scale ?? 1,
  );
  const rates = gradient.microBatches.map((_, microStep) => learningRateOf(run, index, microStep));
  const learningRate = rates.at(-1)!;
  const number = state.updates;
  const how = { policy, optimizer, settings: settings.optimization, lossScale, learningRate, number };
  const applied = applyUpdate(gradient, how);
  state.updates++;
  state.microSteps += accumulate;
  state.lossScale = applied.lossScale;
  return {
    update: number,
    index,
    learningRate,
    measures: { ...gradient.measures, ...applied.measures },
    microSteps: gradient.microBatches.map((measures, place) => ({ lr: rates[place]!, measures })),
  };
}

/** Of a micro-step of the next update, which happens in the last of them, at that one's learning rate. */
function learningRateOf(run: Running, index: number, ofUpdate: number): number {
  const { state, settings } = run;
  const { rounds } = settings.play;
  const { updatesPerEpisode, accumulate } = settings.optimization;
  const perEpisode = updatesPerEpisode * accumulate;
  const ofEpisode = (state.current!.updates % updatesPerEpisode) * accumulate + ofUpdate;
  const inFullRound = roundSize(run) * perEpisode;
  const decayStep = decayStepOf({
    round: state.round,
    before: (state.done + index) * perEpisode + ofEpisode,
    inRound: state.playing!.length * perEpisode,
    inFullRound,
  });
  const microStep = state.microSteps + ofUpdate;
  const position = { round: state.round, microStep, decayStep, plannedMicroSteps: rounds * inFullRound };
  return learningRateAt({ ...settings.optimization, rounds }, position);
}
