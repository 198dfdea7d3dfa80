/** What an update does with its answers: passes over them in minibatches, each an optimizer step. */
import { grpoLoss } from '@emac/losses';
import { applyUpdate, decayShare } from '@emac/optim';
import { weighted, type GrpoBatch } from './batch.ts';
import type { GrpoTask, RunningGrpo } from './grpo-run.ts';
import { stepsPerGrpoUpdate, type GrpoSettings } from './grpo-settings.ts';
import { lossMeasures, meanOfSteps, type StepMeasures } from './measures.ts';

/** Means over the optimizer steps of an update. */
export interface GroupImprovement extends StepMeasures {
  /** of the last step */
  readonly lr: number;
  readonly gradient_steps: number;
}

/** Changes parameters and optimizer. Errors: `check-failed` for numbers that are not finite. */
export async function improveGroups<T extends GrpoTask>(
  run: RunningGrpo<T>,
  batch: GrpoBatch,
): Promise<GroupImprovement> {
  const { policy, optimizer, settings, state } = run;
  const loss = grpoLoss(settings.losses);
  const made: StepMeasures[] = [];
  let learningRate = 0;
  for (const places of minibatches(run, batch.rows.length)) {
    const rows = places.map((place) => batch.rows[place]!);
    const found = await policy.gradient(weighted(rows, settings), loss);
    const measures = lossMeasures(rows, found, settings.losses);
    learningRate = learningRateOf(settings, state.gradientSteps);
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
 * Where a minibatch is less than all answers every pass has an order of its own; inside a minibatch answers stand as they
 * were given, so that those to one prompt are neighbours.
 */
function* minibatches<T extends GrpoTask>(
  { settings, state, random }: RunningGrpo<T>,
  answers: number,
): Generator<number[]> {
  const { iterations, minibatchSize } = settings.optimization;
  const size = minibatchSize ?? answers;
  const all = Array.from({ length: answers }, (_, place) => place);
  const draws = random.stream('minibatches').stream(state.update);
  for (let pass = 0; pass < iterations; pass++) {
    const order = size < answers ? draws.stream(pass).shuffle(all) : all;
    for (let start = 0; start < answers; start += size)
      yield order.slice(start, start + size).sort((a, b) => a - b);
  }
}

/** A linear rise from 0 over the warm-up, then the schedule's fall over the other steps of the run; steps count from 0. */
export function learningRateOf(settings: GrpoSettings, step: number): number {
  const { learningRate, warmupSteps, schedule, finalShare } = settings.optimization;
  if (step < warmupSteps) return (learningRate * step) / warmupSteps;
  const length = Math.max(1, settings.play.updates * stepsPerGrpoUpdate(settings) - warmupSteps);
  return learningRate * decayShare({ schedule, finalShare, length }, step - warmupSteps);
}
