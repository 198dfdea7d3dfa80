/**
 * Attention of one new position per beam over a prompt shared by all beams and over the beams' own tokens. The softmax
 * covers both, but the prompt's keys and values are stored and read once for all beams (Juravsky et al., arXiv
 * 2402.05099). The bias decides visibility. Not differentiable.
 */
import { op, type Shape, type Tensor } from '@emac/graph';

export interface SharedPrefixOperands {
  /** [B, H, K, d], one new position for each of K beams of each of B prompts */
  readonly query: Tensor;
  /** keys and values of the prompts, [B, Hkv, P, d] */
  readonly prompt: { readonly key: Tensor; readonly value: Tensor };
  /** keys and values of the beams' tokens, the new ones included, [B, Hkv, S, d] */
  readonly own: { readonly key: Tensor; readonly value: Tensor };
  /** added to the scores: [B, 1, Q, P + S]; query heads that share a key head are separate rows, Q = K · H / Hkv */
  readonly bias: Tensor;
  /** multiplies scores */
  readonly scale: number;
}

/** → [B, H, K, d]. */
export function sharedPrefixAttention({ query, prompt, own, bias, scale }: SharedPrefixOperands): Tensor {
  const { graph, type } = query;
  const [batch, keyHeads, , size] = prompt.key.shape as [string, number, string, number];
  const rows = bias.shape[2]!;
  // ONNX's short form: 0 copies the batch, −1 is inferred
  const regrouped = (x: Tensor, shape: Shape) =>
    query.shape[1] === keyHeads
      ? x
      : graph.node('Reshape', [x, graph.integers([0, shape[1] as number, -1, size])], { type, shape });
  const perKey = regrouped(query, [batch, keyHeads, rows, size]);
  const scores = [prompt.key, own.key].map((key) => op.matMul(perKey, key, { transposeB: true, scale }));
  const [onPrompt, onOwn] = graph.nodeWithOutputs(
    'Split',
    [op.softmax(op.add(op.concat(scores, 3), bias)), graph.shapeVector(scores.map(({ shape }) => shape[3]!))],
    scores.map(({ shape }) => ({ type, shape })),
    { attributes: { axis: 3 } },
  );
  const mixed = op.add(op.matMul(onPrompt!, prompt.value), op.matMul(onOwn!, own.value));
  return regrouped(mixed, query.shape);
}
