/**
 * A step of both optimizers, or of the critic's alone. Gradients are clipped first: jointly, as in RL4VLM and CleanRL,
 * or separately for policy and critic, as in VLA-RL. With joint clipping, a large critic gradient shortens the policy's
 * step too.
 */
import { EmacError, type ActorCritic, type ActorCriticGradient, type ParameterGroup } from '@emac/core';
import { clipGradients, notFiniteRemedy } from '@emac/optim';
import type { MinibatchMeasures } from './measures.ts';
import type { RunningPpo } from './ppo-run.ts';
import type { PpoOptimizationSettings } from './ppo-settings.ts';
import type { UpdateRates } from './update-rates.ts';

/** Before clipping. */
export type GradientNorms = Pick<MinibatchMeasures, 'gradient_norm' | 'value_gradient_norm'>;

type Stepped = Pick<RunningPpo<unknown>, 'actorCritic' | 'optimizers' | 'settings' | 'state'>;

/** Changes parameters and optimizers. Errors: `check-failed` for numbers that are not finite, before anything has changed. */
export function optimizerStep(
  { actorCritic, optimizers, settings, state }: Stepped,
  { policyLoss, valueLoss, gradients }: ActorCriticGradient,
  { rates, policyLearns }: { readonly rates: UpdateRates; readonly policyLearns: boolean },
): GradientNorms {
  const norms = clipped(gradients, actorCritic.groups, settings.optimization);
  const { gradient_norm: norm, value_gradient_norm: valueNorm } = norms;
  if (![policyLoss, valueLoss, norm, valueNorm ?? 0].every(Number.isFinite))
    throw new EmacError(
      'check-failed',
      `training: loss and gradient norm must be finite, update ${state.update} has policy loss ${policyLoss}, value loss ${valueLoss} and gradient norm ${told(norms)}; ${notFiniteRemedy(state.gradientSteps)}`,
    );
  if (policyLearns) optimizers.policy.step(gradients, rates.policy);
  optimizers.value.step(gradients, rates.value);
  actorCritic.commit();
  state.gradientSteps++;
  return norms;
}

type Gradients = ActorCriticGradient['gradients'];

/** In place. */
function clipped(
  gradients: Gradients,
  groups: ActorCritic['groups'],
  { clipNorm, valueClipNorm }: Pick<PpoOptimizationSettings, 'clipNorm' | 'valueClipNorm'>,
): GradientNorms {
  if (valueClipNorm === null) return { gradient_norm: clipGradients(gradients, clipNorm) };
  return {
    gradient_norm: clipGradients(partOf(gradients, groups.policy), clipNorm),
    value_gradient_norm: clipGradients(partOf(gradients, groups.value), valueClipNorm),
  };
}

/** The gradients of these parameters, if any. */
function partOf(gradients: Gradients, groups: readonly ParameterGroup[]): Gradients {
  const names = new Set(groups.flatMap(({ parameters }) => [...parameters.keys()]));
  return new Map([...gradients].filter(([name]) => names.has(name)));
}

function told({ gradient_norm: norm, value_gradient_norm: valueNorm }: GradientNorms): string {
  return valueNorm === undefined ? String(norm) : `${norm}, of the critic ${valueNorm}`;
}
