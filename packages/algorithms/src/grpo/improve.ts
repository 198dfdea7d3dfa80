/** Trains on the rows of an update: passes in minibatches, each an optimizer step. */
import type { Random } from '@emac/core';
import { grpoLoss } from '@emac/losses';
import { applyUpdate, decayShare } from '@emac/optim';
import { shuffledEpisodes } from '../episode-order.ts';
import { weighted, type GrpoBatch, type GrpoRow } from './batch.ts';
import type { RunningGrpo } from './grpo-run.ts';
import { lossBeta, stepsPerGrpoUpdate, type GrpoSettings } from './grpo-settings.ts';
import { lossMeasures, meanOfSteps, type StepMeasures } from './measures.ts';

/** Means over the optimizer steps of an update. */
export interface GroupImprovement extends StepMeasures {
  /** of the last step */
  readonly lr: number;
  readonly gradient_steps: number;
}

/** Changes parameters and optimizer. Errors: `check-failed` for numbers that are not finite. */
export async function improveGroups(run: Improving, batch: GrpoBatch): Promise<GroupImprovement> {
  const { policy, optimizer, settings, state } = run;
  const loss = grpoLoss({ ...settings.losses, beta: lossBeta(settings.losses) });
  const made: StepMeasures[] = [];
  let learningRate = 0;
  const parts = [...minibatches(run, batch)];
  for (const places of parts) {
    const rows = teaching(
      weighted(
        places.map((place) => batch.rows[place]!),
        settings,
      ),
      settings.losses,
    );
    const found = await policy.gradient(rows, loss);
    const measures = lossMeasures(rows, found, settings.losses);
    learningRate = learningRateOf(settings, scheduleStep(run, { made: made.length, of: parts.length }));
    const applied = applyUpdate(
      { gradients: found.gradients, measures },
      {
        policy,
        optimizer,
        settings: { clipNorm: settings.optimization.clipNorm, lossScaling: null },
        lossScale: null,
        learningRate,
        number: state.update,
      },
    );
    state.gradientSteps++;
    made.push({ ...measures, gradient_norm: applied.measures['gradient_norm'] as number });
  }
  return { ...meanOfSteps(made), lr: learningRate, gradient_steps: made.length };
}

/**
 * The rows with a gradient: all with a penalty, else those with an advantage. Weights count all rows. One row stands for a minibatch
 * that teaches nothing, so that the optimizer makes its step.
 */
function teaching<Row extends GrpoRow>(rows: readonly Row[], losses: GrpoSettings['losses']): readonly Row[] {
  if (lossBeta(losses) > 0) return rows;
  const some = rows.filter(({ constants }) => constants.advantage !== 0);
  return some.length > 0 ? some : rows.slice(0, 1);
}

type Improving = Pick<RunningGrpo, 'policy' | 'optimizer' | 'settings' | 'state' | 'random' | 'rows'>;

/**
 * With minibatches smaller than all rows, every pass is shuffled. Inside a minibatch rows keep their order, so rows
 * with one prompt stay neighbours.
 */
function* minibatches(
  { settings, state, random, rows: rowsOf }: Pick<Improving, 'settings' | 'state' | 'random' | 'rows'>,
  { rows, attempts }: Pick<GrpoBatch, 'rows' | 'attempts'>,
): Generator<number[]> {
  const { iterations, minibatchSize } = settings.optimization;
  const size = minibatchSize ?? rows.length;
  const all = rows.map((_, place) => place);
  const drawn = (from: Random) =>
    rowsOf === 'episodes' ? shuffledEpisodes(attempts, from) : from.shuffle(all);
  const draws = random.stream('minibatches').stream(state.update);
  for (let pass = 0; pass < iterations; pass++) {
    const order = size < rows.length ? drawn(draws.stream(pass)) : all;
    for (let start = 0; start < rows.length; start += size)
      yield order.slice(start, start + size).sort((a, b) => a - b);
  }
}

/**
 * The learning-rate schedule's position: every update counts as if attempts had one step each, so the schedule ends
 * with the run for any number of rows. For attempts of one step these are the gradient steps.
 */
function scheduleStep(
  { settings, state }: Pick<Improving, 'settings' | 'state'>,
  done: { made: number; of: number },
): number {
  const steps = stepsPerGrpoUpdate(settings);
  return state.update * steps + (done.made * steps) / done.of;
}

/** A linear rise from 0 over the warm-up, then the schedule's fall over the other steps of the run; steps count from 0. */
export function learningRateOf(settings: GrpoSettings, step: number): number {
  const { learningRate, warmupSteps, schedule, finalShare } = settings.optimization;
  if (step < warmupSteps) return (learningRate * step) / warmupSteps;
  const length = Math.max(1, settings.play.updates * stepsPerGrpoUpdate(settings) - warmupSteps);
  return learningRate * decayShare({ schedule, finalShare, length }, step - warmupSteps);
}
