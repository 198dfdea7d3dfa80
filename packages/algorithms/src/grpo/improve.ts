/** Trains on the rows of an update: passes in minibatches, each an optimizer step. */
import { grpoLoss } from '@emac/losses';
import { applyUpdate, decayShare } from '@emac/optim';
import { minibatches } from '../episode-order.ts';
import { meansOf } from '../means.ts';
import { ofAnswers, weighted, type GrpoBatch, type GrpoRow, type WeightedRow } from './batch.ts';
import type { RunningGrpo } from './grpo-run.ts';
import { lossBeta, stepsPerGrpoUpdate, type GrpoSettings } from './grpo-settings.ts';
import { lossMeasures, type StepMeasures } from './measures.ts';

/** Means over the optimizer steps of an update. */
export interface GroupImprovement extends StepMeasures {
  /** of the last step */
  readonly lr: number;
  readonly gradient_steps: number;
}

/** Changes parameters and optimizer. Errors: `check-failed` for numbers that are not finite. */
export async function improveGroups(run: Improving, batch: GrpoBatch): Promise<GroupImprovement> {
  const { policy, optimizer, settings, state, random } = run;
  const { passes, minibatchSize } = settings.optimization;
  const loss = grpoLoss({ ...settings.losses, beta: lossBeta(settings.losses) });
  const made: StepMeasures[] = [];
  let learningRate = 0;
  const draws = minibatches(batch.rows.length, {
    passes,
    size: minibatchSize ?? batch.rows.length,
    random: random.stream('minibatches').stream(state.update),
    episodes: run.rows === 'episodes' ? batch.attempts : null,
  });
  const parts = [...draws];
  for (const places of parts) {
    // in their own order: rows with one prompt stay neighbours
    const drawn = places.sort((a, b) => a - b).map((place) => batch.rows[place]!);
    const rows = teaching(weighted(drawn, settings), settings.losses);
    const compared: readonly WeightedRow[] = settings.losses.ratio === 'answer' ? rows.map(ofAnswers) : rows;
    const found = await policy.gradient(compared, loss);
    const measures = lossMeasures(compared, found, settings.losses);
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
  const [first, ...more] = made;
  return { ...meansOf([first!, ...more]), lr: learningRate, gradient_steps: made.length };
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
  const { learningRate, warmup, schedule, finalShare } = settings.optimization;
  if (step < warmup) return (learningRate * step) / warmup;
  const length = Math.max(1, settings.play.updates * stepsPerGrpoUpdate(settings) - warmup);
  return learningRate * decayShare({ schedule, finalShare, length }, step - warmup);
}
