/**
 * Attention of one new position per beam over a prompt that all beams share and over the beam's own tokens:
 * softmax over both together, but the prompt's keys and values are stored, and read, once for all beams
 * (Juravsky et al., arXiv 2402.05099). Not differentiable.
 */
import { op, type Tensor } from '@emac/graph';

export interface SharedPrefixOperands {
  /** [K, H, 1, d], one new position for each of K beams */
  readonly query: Tensor;
  /** keys and values of the prompt, [1, Hkv, P, d] */
  readonly prompt: { readonly key: Tensor; readonly value: Tensor };
  /** keys and values of the beams' own tokens, [K, Hkv, T, d] */
  readonly own: { readonly key: Tensor; readonly value: Tensor };
}

/** → [K, H, 1, d]. */
export function sharedPrefixAttention({ query, prompt, own }: SharedPrefixOperands): Tensor {
  const { graph } = query;
  const [beams, heads, , size] = query.shape as [string, number, number, number];
  const [, keyHeads, promptLength] = prompt.key.shape as [number, number, string];
  const group = heads / keyHeads;
  const scale = 1 / Math.sqrt(size);
  const shared = (x: Tensor) => op.reshape(x, [keyHeads, 1, promptLength, size]);
  const perBeam = op.reshape(query, [beams, keyHeads, group, size]);
  const perHead = op.transpose(perBeam, [1, 2, 0, 3]);
  const overPrompt = op.matMul(perHead, shared(prompt.key), { transposeB: true, scale });
  const overOwn = op.transpose(op.matMul(perBeam, own.key, { transposeB: true, scale }), [1, 2, 0, 3]);
  const [onPrompt, onOwn] = graph.nodeWithOutputs(
    'Split',
    [
      op.softmax(op.concat([overPrompt, overOwn], 3)),
      graph.shapeVector([overPrompt.shape[3]!, overOwn.shape[3]!]),
    ],
    [overPrompt, overOwn].map(({ type, shape }) => ({ type, shape })),
    { attributes: { axis: 3 } },
  );
  const fromPrompt = op.transpose(op.matMul(onPrompt!, shared(prompt.value)), [2, 0, 1, 3]);
  const fromOwn = op.matMul(op.transpose(onOwn!, [2, 0, 1, 3]), own.value);
  return op.reshape(op.add(fromPrompt, fromOwn), [beams, heads, 1, size]);
}
