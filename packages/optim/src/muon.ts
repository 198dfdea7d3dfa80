/**
 * Muon (Jordan et al. 2024): the running mean of a matrix's gradients, with Nesterov's step, is made nearly orthogonal by
 * five Newton–Schulz iterations and taken as the update. As in Liu et al. 2025 (arXiv 2502.16982) the update is scaled by
 * 0.2·√(larger side), so that rate and weight decay are those of AdamW, which moves all tensors that are no matrices.
 * Arithmetic is in float64 (PyTorch's iterations are in bfloat16); parameters and means are stored in float32.
 */
import { EmacError, type Parameter, type ParameterGroup } from '@emac/core';
import { createAdamW, type AdamWOptions, type Optimizer, type OptimizerState } from './adamw.ts';
import { orthogonalized } from './orthogonal.ts';

/** Of the running mean of gradients. */
const momentum = 0.95;

/** The state has `<name>.momentum` of each matrix, and AdamW's two moments of each other tensor. Errors: as `createAdamW`. */
export function createMuon(
  groups: readonly ParameterGroup[],
  options: AdamWOptions,
  stored?: OptimizerState,
): Optimizer {
  const others = createAdamW(
    partOf(groups, (each) => !isMatrix(each)),
    options,
    stored,
  );
  const matrices = partOf(groups, isMatrix);
  const means = new Map(
    matrices.flatMap(({ parameters }) =>
      [...parameters].map(
        ([name, parameter]) => [`${name}.momentum`, meanOf(name, parameter, stored)] as const,
      ),
    ),
  );
  return {
    step(gradients, learningRate) {
      others.step(gradients, learningRate);
      for (const { parameters, learningRateScale } of matrices)
        for (const [name, parameter] of parameters) {
          const gradient = gradients.get(name);
          if (!gradient) throw new EmacError('internal', `optimizer: no gradient for ${name}`);
          const mean = means.get(`${name}.momentum`)!.data;
          const rate = learningRate * learningRateScale;
          updateMatrix(parameter, { gradient, mean, rate, weightDecay: options.weightDecay });
        }
    },
    state: () => {
      const { step, tensors } = others.state();
      return { step, tensors: new Map([...tensors, ...means]) };
    },
  };
}

function isMatrix({ shape }: Parameter): boolean {
  return shape.length === 2;
}

function partOf(groups: readonly ParameterGroup[], has: (parameter: Parameter) => boolean): ParameterGroup[] {
  return groups.map((group) => ({
    ...group,
    parameters: new Map([...group.parameters].filter(([, parameter]) => has(parameter))),
  }));
}

function meanOf(name: string, { shape, data }: Parameter, stored: OptimizerState | undefined): Parameter {
  if (!stored) return { shape, data: new Float32Array(data.length) };
  const tensor = stored.tensors.get(`${name}.momentum`);
  if (tensor && tensor.shape.join() === shape.join()) return { shape, data: tensor.data.slice() };
  const is = tensor ? `[${tensor.shape.join(', ')}]` : 'nothing';
  throw new EmacError('data', `optimizer state: ${name}.momentum must be [${shape.join(', ')}], got ${is}`);
}

interface MatrixUpdate {
  readonly gradient: Float32Array;
  readonly mean: Float32Array;
  readonly rate: number;
  readonly weightDecay: number;
}

/** M ← βM + (1 − β)G; θ ← θ·(1 − lr·λ) − lr·0.2·√max(rows, columns) · orthogonal(βM + (1 − β)G) */
function updateMatrix({ shape, data }: Parameter, { gradient, mean, rate, weightDecay }: MatrixUpdate): void {
  const [rows, columns] = shape as [number, number];
  const ahead = new Float64Array(data.length);
  for (let i = 0; i < data.length; i++) {
    const g = gradient[i]!;
    const m = (mean[i] = momentum * mean[i]! + (1 - momentum) * g);
    ahead[i] = momentum * m + (1 - momentum) * g;
  }
  const update = orthogonalized(ahead, rows, columns);
  const size = rate * 0.2 * Math.sqrt(Math.max(rows, columns));
  const keep = 1 - rate * weightDecay;
  for (let i = 0; i < data.length; i++) data[i] = data[i]! * keep - size * update[i]!;
}
