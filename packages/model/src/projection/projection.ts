/**
 * The trainable projection on tfjs: Q-Former outputs [B, Nq, Dq] to the language model's width [B, Nq, D]. `linear` is
 * InstructBLIP's one nn.Linear (EMMA's `llm_proj`): V = Q·Wᵀ + b, or without b as in SmolVLM. `mlp` has two layers, `mlp3` three, with an erf GELU
 * between them. Parameters are plain arrays that an optimizer changes in place; `commit` uploads them. The gradient comes
 * from outside: given dL/dV, `backward` differentiates Σ V · stopgrad(dL/dV).
 */
import { EmacError, type Parameter, type ParameterSet, type Random } from '@emac/core';
import type { Tensor, Tensor2D } from '@tensorflow/tfjs';
import { projectionShapes, shapeOf, type ProjectionKind, type ProjectionShape } from './projection-shape.ts';
import type { Tensorflow } from './tensorflow.ts';

export interface ProjectionOptions extends ProjectionShape {
  /** tensors by name, copied; or a generator for random initialization */
  readonly parameters: ParameterSet | Random;
}

export interface Projection {
  readonly kind: ProjectionKind;
  /** `language_projection.weight` [D, Dq], `language_projection.bias` [D] (mlp: `.0.*`, `.2.*`; mlp3: `.4.*` too); the arrays are live */
  readonly parameters: ParameterSet;
  /** V [R·D] of R rows of features [R·Dq], R = B·Nq; with the parameters of the last `commit` */
  forward(features: Float32Array, rows: number): Float32Array;
  /** dL/dparameter by name, of features [R·Dq] and dL/dV [R·D] */
  backward(features: Float32Array, rows: number, lossGradient: Float32Array): Map<string, Float32Array>;
  /** uploads changes of `parameters` */
  commit(): void;
  /** Another projection on the same tfjs, of any kind, with copies of parameters. Errors: `data`. */
  under(parameters: ParameterSet): Projection;
  dispose(): void;
}

/** A projection on a loaded tfjs. Errors: `data` if given tensors do not fit the widths. */
export function createProjection(tf: Tensorflow, options: ProjectionOptions): Projection {
  const shapes = projectionShapes(options);
  const parameters = initialParameters(shapes, options);
  const names = [...shapes.keys()];
  const { inputWidth, outputWidth, bias: isBiased = true } = options;
  let uploaded = upload(tf, parameters);

  const inputs = (features: Float32Array, rows: number): Tensor2D => {
    checkLength('features', features, rows * inputWidth);
    return tf.tensor2d(features, [rows, inputWidth]);
  };

  return {
    kind: options.kind,
    parameters,
    forward(features, rows) {
      const output = tf.tidy(() => apply(tf, inputs(features, rows), { weights: uploaded, isBiased }));
      return takeValues(output);
    },
    backward(features, rows, lossGradient) {
      checkLength('dL/dV', lossGradient, rows * outputWidth);
      const gradients = tf.tidy(() => {
        const input = inputs(features, rows);
        const upstream = tf.tensor2d(lossGradient, [rows, outputWidth]);
        const loss = (...weights: Tensor[]): Tensor =>
          tf.sum(tf.mul(apply(tf, input, { weights, isBiased }), upstream));
        return tf.grads(loss)(uploaded);
      });
      return new Map(names.map((name, index) => [name, takeValues(gradients[index]!)]));
    },
    commit() {
      tf.dispose(uploaded);
      uploaded = upload(tf, parameters);
    },
    under: (others) => projectionOf(tf, others),
    dispose() {
      tf.dispose(uploaded);
      uploaded = [];
    },
  };
}

/** A projection with copies of these parameters; their names and shapes determine its kind. Errors: `data`. */
export function projectionOf(tf: Tensorflow, parameters: ParameterSet): Projection {
  return createProjection(tf, { ...shapeOf(parameters), parameters });
}

interface Layers {
  /** weight and bias in turn, or weights alone */
  readonly weights: readonly Tensor[];
  readonly isBiased: boolean;
}

/** Layer after layer; a GELU between two layers. */
function apply(tf: Tensorflow, input: Tensor2D, { weights, isBiased }: Layers): Tensor2D {
  const given = weights as readonly Tensor2D[];
  const step = isBiased ? 2 : 1;
  let output = input;
  for (let layer = 0; layer < given.length; layer += step) {
    const weight = given[layer]!;
    const made = layer === 0 ? productOfConstant(tf, input, weight) : product(tf, gelu(tf, output), weight);
    output = isBiased ? tf.add<Tensor2D>(made, given[layer + 1]!) : made;
  }
  return output;
}

/**
 * Y = X·Wᵀ with ∂W = ∂Yᵀ·X and, unless X is constant, ∂X = ∂Y·W. Operands are transposed by copies: the fast matrix
 * product of tfjs's `wasm` takes only plain ones. With transposed operands a whole step was five times slower.
 */
function product(tf: Tensorflow, x: Tensor2D, weight: Tensor2D): Tensor2D {
  const carried = tf.customGrad((...operands) => {
    const [a, w, save] = operands as [Tensor, Tensor, (tensors: Tensor[]) => void];
    save([a, w]);
    const gradFunc = (dy: Tensor, [savedX, savedWeight]: Tensor[]): Tensor[] => [
      tf.matMul(dy, savedWeight!),
      tf.matMul(tf.transpose(dy), savedX!),
    ];
    return { value: tf.matMul(a, tf.transpose(w)), gradFunc };
  });
  return carried(x, weight) as Tensor2D;
}

/** The same for inputs that receive no gradient. */
function productOfConstant(tf: Tensorflow, x: Tensor2D, weight: Tensor2D): Tensor2D {
  const carried = tf.customGrad((...operands) => ({
    value: tf.matMul(x, tf.transpose(operands[0] as Tensor2D)),
    gradFunc: (dy: Tensor): Tensor[] => [tf.matMul(tf.transpose(dy), x)],
  }));
  return carried(weight) as Tensor2D;
}

/** GELU(x) = x · Φ(x) = x · (1 + erf(x / √2)) / 2, Hendrycks and Gimpel 2016, not the tanh approximation. */
function gelu(tf: Tensorflow, x: Tensor2D): Tensor2D {
  return tf.mul(tf.mul(x, 0.5), tf.add(tf.erf(tf.mul(x, Math.SQRT1_2)), 1));
}

/** Copies, because tfjs's `cpu` backend would keep the array itself and see changes before `commit`. */
function upload(tf: Tensorflow, parameters: ParameterSet): Tensor[] {
  return [...parameters.values()].map(({ data, shape }) => tf.tensor(data.slice(), [...shape], 'float32'));
}

/** Outside `tidy`: on a value returned from it, tfjs would walk the array element by element. */
function takeValues(tensor: Tensor): Float32Array {
  const values = tensor.dataSync<'float32'>();
  tensor.dispose();
  return values;
}

function initialParameters(
  shapes: ReadonlyMap<string, readonly number[]>,
  { parameters }: ProjectionOptions,
): Map<string, Parameter> {
  const start = parameters instanceof Map ? given(parameters) : fresh(parameters as Random, shapes);
  return new Map([...shapes].map(([name, shape]) => [name, { shape, data: start(name, shape) }]));
}

function given(parameters: ParameterSet) {
  return (name: string, shape: readonly number[]): Float32Array => {
    const parameter = parameters.get(name);
    const found = parameter ? `[${parameter.shape.join(', ')}]` : 'nothing';
    const size = shape.reduce((product, width) => product * width, 1);
    if (found !== `[${shape.join(', ')}]` || parameter?.data.length !== size)
      throw new EmacError('data', `projection: ${name} must be [${shape.join(', ')}], got ${found}`);
    return parameter.data.slice();
  };
}

/** As nn.Linear starts: weight and bias uniform within ±1/√(inputs of the layer). */
function fresh(random: Random, shapes: ReadonlyMap<string, readonly number[]>) {
  return (name: string, shape: readonly number[]): Float32Array => {
    const stream = random.stream(name);
    const fanIn = shapes.get(name.replace(/bias$/, 'weight'))![1]!;
    const size = shape.reduce((product, width) => product * width, 1);
    return Float32Array.from({ length: size }, () => (2 * stream.uniform() - 1) / Math.sqrt(fanIn));
  };
}

function checkLength(what: string, values: Float32Array, expected: number): void {
  if (values.length !== expected)
    throw new EmacError(
      'internal',
      `projection: ${what} must hold ${expected} numbers, got ${values.length}`,
    );
}
