/** AdamW (Loshchilov & Hutter, arXiv 1711.05101) over many named arrays; norms are not decayed. */
import type { Parameters } from './language-model.ts';

export interface AdamWOptions {
  readonly beta1: number;
  readonly beta2: number;
  readonly weightDecay: number;
}

export class AdamW {
  readonly #moments: Map<string, { first: Float32Array; second: Float32Array; decays: boolean }>;
  readonly #options: AdamWOptions;
  updates = 0;

  constructor(shapes: ReadonlyMap<string, readonly number[]>, options: AdamWOptions) {
    this.#options = options;
    this.#moments = new Map(
      [...shapes].map(([name, shape]) => {
        const size = shape.reduce((product, dimension) => product * dimension, 1);
        return [
          name,
          { first: new Float32Array(size), second: new Float32Array(size), decays: shape.length > 1 },
        ];
      }),
    );
  }

  /** One update in place; gradients are clipped to a global norm of 1. */
  step(parameters: Parameters, gradients: ReadonlyMap<string, Float32Array>, rate: number): void {
    const { beta1, beta2, weightDecay } = this.#options;
    this.updates++;
    const clip = Math.min(1, 1 / (globalNorm(gradients) + 1e-6));
    const scale = (rate * Math.sqrt(1 - beta2 ** this.updates)) / (1 - beta1 ** this.updates);
    const epsilon = 1e-8 * Math.sqrt(1 - beta2 ** this.updates);
    for (const [name, gradient] of gradients) {
      const { first, second, decays } = this.#moments.get(name)!;
      const { data } = parameters.get(name)!;
      const keep = decays ? 1 - rate * weightDecay : 1;
      for (let i = 0; i < data.length; i++) {
        const g = gradient[i]! * clip;
        const m = (first[i] = beta1 * first[i]! + (1 - beta1) * g);
        const v = (second[i] = beta2 * second[i]! + (1 - beta2) * g * g);
        data[i] = data[i]! * keep - (scale * m) / (Math.sqrt(v) + epsilon);
      }
    }
  }

  /** The moments by name, live. */
  state(): Map<string, Float32Array> {
    return new Map(
      [...this.#moments].flatMap(([name, { first, second }]) => [
        [`first ${name}`, first],
        [`second ${name}`, second],
      ]),
    );
  }
}

function globalNorm(gradients: ReadonlyMap<string, Float32Array>): number {
  let sum = 0;
  for (const gradient of gradients.values())
    for (let i = 0; i < gradient.length; i++) sum += gradient[i]! * gradient[i]!;
  return Math.sqrt(sum);
}
