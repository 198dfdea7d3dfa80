/**
 * AdamW (Loshchilov and Hutter 2019: weight decay separate from the gradient) on plain arrays, in the order of
 * PyTorch's implementation: decay, moments, bias correction, ε added to the corrected root. Biases and other
 * one-dimensional tensors do not decay. Arithmetic is in float64; parameters and moments are stored in float32.
 */
import { EmacError, type Parameter, type ParameterGroup, type ParameterSet } from '@emac/core';

export interface AdamWOptions {
  /** decay of the two running means (β₁, β₂) */
  readonly betas: readonly [number, number];
  readonly epsilon: number;
  readonly weightDecay: number;
}

/** Two moments per parameter, `<name>.first_moment` and `<name>.second_moment`, and the steps taken. */
export interface OptimizerState {
  readonly step: number;
  readonly tensors: ParameterSet;
}

export interface Optimizer {
  /** changes the parameters in place; needs gradients of all parameters, by name; each group scales the rate */
  step(gradients: ReadonlyMap<string, Float32Array>, learningRate: number): void;
  /** the arrays are live: store or copy them before the next step */
  state(): OptimizerState;
}

/** An optimizer over live parameters. Errors: `data` if a stored state does not fit them. */
export function createAdamW(
  groups: readonly ParameterGroup[],
  options: AdamWOptions,
  stored?: OptimizerState,
): Optimizer {
  const moments = new Map<string, Parameter>();
  for (const [name, { shape, data }] of groups.flatMap(({ parameters }) => [...parameters]))
    for (const moment of ['first_moment', 'second_moment'])
      moments.set(`${name}.${moment}`, {
        shape,
        data: stored ? storedMoment(stored, `${name}.${moment}`, shape) : new Float32Array(data.length),
      });
  let step = stored?.step ?? 0;
  return {
    step(gradients, learningRate) {
      step++;
      for (const { parameters, learningRateScale } of groups)
        for (const [name, parameter] of parameters)
          updateTensor({
            parameter,
            gradient: required(gradients, name),
            first: moments.get(`${name}.first_moment`)!.data,
            second: moments.get(`${name}.second_moment`)!.data,
            step,
            learningRate: learningRate * learningRateScale,
            options,
          });
    },
    state: () => ({ step, tensors: moments }),
  };
}

interface TensorUpdate {
  readonly parameter: Parameter;
  readonly gradient: Float32Array;
  readonly first: Float32Array;
  readonly second: Float32Array;
  readonly step: number;
  readonly learningRate: number;
  readonly options: AdamWOptions;
}

/** θ ← θ·(1 − lr·λ); m, v ← running means of g, g²; θ ← θ − lr/(1−β₁ᵗ) · m / (√v/√(1−β₂ᵗ) + ε) */
function updateTensor({
  parameter,
  gradient,
  first,
  second,
  step,
  learningRate,
  options,
}: TensorUpdate): void {
  const [beta1, beta2] = options.betas;
  const keep = parameter.shape.length > 1 ? 1 - learningRate * options.weightDecay : 1;
  const stepSize = learningRate / (1 - beta1 ** step);
  const root = Math.sqrt(1 - beta2 ** step);
  const { data } = parameter;
  for (let i = 0; i < data.length; i++) {
    const g = gradient[i]!;
    const m = (first[i] = beta1 * first[i]! + (1 - beta1) * g);
    const v = (second[i] = beta2 * second[i]! + (1 - beta2) * g * g);
    data[i] = data[i]! * keep - (stepSize * m) / (Math.sqrt(v) / root + options.epsilon);
  }
}

function storedMoment(stored: OptimizerState, name: string, shape: readonly number[]): Float32Array {
  const tensor = stored.tensors.get(name);
  if (!tensor || tensor.shape.join() !== shape.join())
    throw new EmacError(
      'data',
      `optimizer state: ${name} must be [${shape.join(', ')}], got ${tensor ? `[${tensor.shape.join(', ')}]` : 'nothing'}`,
    );
  return tensor.data.slice();
}

function required(gradients: ReadonlyMap<string, Float32Array>, name: string): Float32Array {
  const gradient = gradients.get(name);
  if (!gradient) throw new EmacError('internal', `optimizer: no gradient for ${name}`);
  return gradient;
}
