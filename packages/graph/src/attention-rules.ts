/**
 * Replacements of the fused attention and RMSNorm operators for providers without their kernels, or without the outputs
 * that the backward pass reads.
 */
import type { Attribute, Node, Tensor } from './graph.ts';
import type { Rule, Writer } from './lowering-rule.ts';

/** By replaced operator. */
export const attentionRules: ReadonlyMap<string, Rule> = new Map([
  ['Attention', attention],
  ['SimplifiedLayerNormalization', rmsNorm],
]);

const floatOf = (attribute: Attribute | undefined): number =>
  typeof attribute === 'object' && 'float' in attribute ? attribute.float : NaN;

/** P = softmax(s·Q·Kᵀ + bias), O = P·V. */
function attention({ inputs, outputs, attributes }: Node, write: Writer): boolean {
  const [query, key, value, bias] = inputs as [Tensor, Tensor, Tensor, Tensor?];
  const [, , , probabilities] = outputs as [Tensor, Tensor, Tensor, Tensor];
  const { type, shape } = probabilities;
  const scale = write.constant(Float32Array.of(floatOf(attributes['scale'])), []);
  const scaled = write.step('Mul', [query, scale], query);
  const turned = write.step('Transpose', [key], {
    type,
    shape: [0, 1, 3, 2].map((axis) => key.shape[axis]!),
    attributes: { perm: [0, 1, 3, 2] },
  });
  const products = write.step('MatMul', [scaled, turned], { type, shape });
  const scores = bias ? write.step('Add', [products, bias], { type, shape }) : products;
  write.output(probabilities, 'Softmax', { inputs: [scores] });
  write.output(outputs[0]!, 'MatMul', { inputs: [probabilities, value] });
  return true;
}

/** Every provider has a kernel for the norm itself; its 1/√(mean(x²) + ε) is computed separately if it is read. */
function rmsNorm({ inputs, outputs, attributes }: Node, write: Writer): boolean {
  const [x, weight] = inputs as [Tensor, Tensor];
  const [y, r] = outputs as [Tensor, Tensor];
  write.output(y, 'SimplifiedLayerNormalization', { inputs: [x, weight], attributes });
  if (!write.isRead(r)) return true;
  const axes = write.constant(BigInt64Array.of(-1n), [1]);
  const squares = write.step('Mul', [x, x], x);
  const mean = write.step('ReduceMean', [squares, axes], { ...r, attributes: { keepdims: 1 } });
  const epsilon = write.constant(Float32Array.of(floatOf(attributes['epsilon'])), []);
  const root = write.step('Sqrt', [write.step('Add', [mean, epsilon], r)], r);
  write.output(r, 'Reciprocal', { inputs: [root] });
  return true;
}
