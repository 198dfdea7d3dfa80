/** Arithmetic, activations, comparisons. */
import { op, type Tensor } from '@emac/graph';
import { elementOf } from '../stored-tensor.ts';
import type { NodeReader } from '../node-reader.ts';
import type { Operator, Operators } from './operator.ts';

const unary =
  (compute: (x: Tensor) => Tensor): Operator =>
  (node) =>
    compute(node.tensor(0));

const binary =
  (compute: (a: Tensor, b: Tensor) => Tensor): Operator =>
  (node) =>
    compute(node.tensor(0), node.tensor(1));

const variadic =
  (compute: (a: Tensor, b: Tensor) => Tensor): Operator =>
  (node) =>
    node.tensors().reduce(compute);

/** Gives whole numbers: the gradient is 0 wherever it exists. */
const stepwise: Operator = (node) => {
  const x = node.tensor(0);
  return node.graph.node(node.node.type, [x], { type: x.type, shape: x.shape });
};

const test: Operator = (node) => {
  const x = node.tensor(0);
  return node.graph.node(
    node.node.type,
    [x],
    { type: 'bool', shape: x.shape },
    { attributes: node.plainAttributes() },
  );
};

const asFloat = (x: Tensor): Tensor => op.cast(x, 'float32');

export const elementwise: Operators = {
  Add: binary(op.add),
  Sub: binary(op.subtract),
  Mul: binary(op.multiply),
  Div: binary(op.divide),
  Pow: power,
  Mod: modulo,
  Sum: variadic(op.add),
  Mean: (node) => op.scale(node.tensors().reduce(op.add), 1 / node.tensors().length),
  Max: variadic(op.maximum),
  Min: variadic(op.minimum),
  Neg: unary(op.negate),
  Abs: unary(op.abs),
  Exp: unary(op.exp),
  Log: unary(op.log),
  Sqrt: unary(op.sqrt),
  Reciprocal: unary(op.reciprocal),
  Sin: unary(op.sin),
  Cos: unary(op.cos),
  Erf: unary(op.erf),
  Sign: stepwise,
  Floor: stepwise,
  Ceil: stepwise,
  Round: stepwise,

  Relu: unary(op.relu),
  Sigmoid: unary(op.sigmoid),
  Tanh: unary(op.tanh),
  Softplus: unary(op.softplus),
  Softsign: unary(op.softsign),
  HardSwish: unary(op.hardSwish),
  Mish: unary((x) => op.multiply(x, op.tanh(op.softplus(x)))),
  PRelu: binary(op.prelu),
  LeakyRelu: (node) => op.leakyRelu(node.tensor(0), node.float('alpha', 0.01)),
  Elu: (node) => op.elu(node.tensor(0), node.float('alpha', 1)),
  Celu: (node) => op.celu(node.tensor(0), node.float('alpha', 1)),
  Selu: (node) =>
    op.selu(node.tensor(0), {
      alpha: node.float('alpha', 1.6732632423543772),
      gamma: node.float('gamma', 1.0507009873554805),
    }),
  HardSigmoid: (node) =>
    op.hardSigmoid(node.tensor(0), { alpha: node.float('alpha', 0.2), beta: node.float('beta', 0.5) }),
  ThresholdedRelu: (node) => op.thresholdedRelu(node.tensor(0), node.float('alpha', 1)),
  Gelu: (node) =>
    node.text('approximate', 'none') === 'tanh' ? op.geluTanh(node.tensor(0)) : op.gelu(node.tensor(0)),
  Clip: clip,

  Equal: binary(op.equal),
  Less: binary(op.less),
  LessOrEqual: binary(op.lessOrEqual),
  Greater: binary((a, b) => op.less(b, a)),
  GreaterOrEqual: binary((a, b) => op.lessOrEqual(b, a)),
  And: binary(op.and),
  Or: binary(op.or),
  Not: unary(op.not),
  Xor: binary((a, b) => op.not(op.equal(a, b))),
  IsNaN: test,
  IsInf: test,
  Where: (node) => op.where(node.tensor(0), node.tensor(1), node.tensor(2)),
  Cast: castTo,
  CastLike: (node) => op.cast(node.tensor(0), node.value(1).type),

  Identity: unary((x) => x),
  Dropout: dropout,
  Constant: largeConstant,
};

/** ONNX Runtime's own operators that its optimizer leaves in files. */
export const microsoftElementwise: Operators = {
  Gelu: unary(op.gelu),
  FastGelu: (node) => op.geluTanh(node.has(1) ? op.add(node.tensor(0), node.tensor(1)) : node.tensor(0)),
  BiasGelu: binary((x, bias) => op.gelu(op.add(x, bias))),
  QuickGelu: (node) => {
    const x = node.tensor(0);
    return op.multiply(x, op.sigmoid(op.scale(x, node.float('alpha', 1.702))));
  },
};

function power(node: NodeReader): Tensor {
  const x = node.tensor(0);
  const exponent = node.value(1).known;
  const only =
    exponent?.values.length === 1 && exponent.shape.length <= x.shape.length ? exponent.values[0] : null;
  if (only === 1) return x;
  if (only === 2) return op.square(x);
  if (only === 0.5) return op.sqrt(x);
  if (only === -1 && x.type === 'float32') return op.reciprocal(x);
  return op.power(asFloat(x), asFloat(node.tensor(1)));
}

function modulo(node: NodeReader): Tensor {
  const [a, b] = [node.tensor(0), node.tensor(1)];
  if (a.type === 'float32')
    throw node.error('of floats is not supported; write it with Div, Floor, Mul and Sub before exporting');
  const shape = op.add(a, b).shape;
  return node.graph.node('Mod', [a, b], { type: a.type, shape });
}

/** Limits are attributes in opset 6 to 10 and inputs since; limits only known at run time are applied by comparison. */
function clip(node: NodeReader): Tensor {
  const x = node.tensor(0);
  const limit = (input: number) => node.inputs[input]?.known?.values[0];
  const isKnown = [1, 2].every((input) => !node.has(input) || typeof limit(input) === 'number');
  if (isKnown && x.type === 'float32') {
    const [low, high] = [limit(1), limit(2)] as [number | undefined, number | undefined];
    return op.clip(x, { ...(low === undefined ? {} : { low }), ...(high === undefined ? {} : { high }) });
  }
  const [low, high] = [node.optional(1), node.optional(2)];
  const raised = low ? op.maximum(x, low) : x;
  return high ? op.minimum(raised, high) : raised;
}

function castTo(node: NodeReader): Tensor {
  const { type } = elementOf(node.integer('to', 1), `Cast "${node.node.name}"`);
  return op.cast(node.tensor(0), type);
}

/** An imported network is never in training mode: dropout passes everything. */
function dropout(node: NodeReader): Tensor[] {
  const x = node.tensor(0);
  if (node.number(2, 0) !== 0)
    throw node.error('is in training mode; export the network for inference (model.eval())');
  const all = op.equal(node.graph.scalar(0), node.graph.scalar(0));
  return [x, op.expand(all, x.shape)];
}

/** A Constant too large to fold during import. */
function largeConstant(node: NodeReader): Tensor {
  const value = node.attribute('value');
  if (typeof value !== 'object' || !('element' in value)) throw node.error('needs a tensor value');
  return node.initializer(value);
}
