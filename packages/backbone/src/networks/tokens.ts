/** Between token ids and the language model: the embedding table, the head, and the projection. */
import { multiplyDimensions, op, type Tensor } from '@emac/graph';

import type { LlamaConfig } from '../files/model-config.ts';
import type { Weights } from './weights.ts';

/** ids int64 [...] → [..., D]. */
export function embedTokens(
  weights: Weights,
  { embeddingScale }: Pick<LlamaConfig, 'embeddingScale'>,
  ids: Tensor,
): Tensor {
  const rows = op.gather(weights('language_model.model.embed_tokens.weight'), ids);
  return embeddingScale === undefined ? rows : op.multiply(rows, rows.graph.scalar(embeddingScale));
}

/** Whether a language model reads visual tokens; else its graphs have no input for them. */
export function seesPictures({ visualTokens }: Pick<LlamaConfig, 'visualTokens'>): boolean {
  return visualTokens !== 'none';
}

/** Whether every prompt has a picture: one before the text, which a model whose pictures stand within the text can do without. */
export function needsPicture({ visualTokens }: Pick<LlamaConfig, 'visualTokens'>): boolean {
  return visualTokens === undefined;
}

/**
 * Visual tokens [B, N, D] and the text's [B, L, D] in the order of their places: int64 [B, N + L], row numbers of
 * [visual, text] over all prompts. Without places the visual tokens come first; without visual tokens the text is all.
 */
export function placed(visual: Tensor | null, words: Tensor, places?: Tensor): Tensor {
  if (!visual) return words;
  const both = op.concat([visual, words], 1);
  if (!places) return both;
  const [batch, length, width] = both.shape;
  return op.gather(op.reshape(both, [multiplyDimensions(batch!, length!), width!]), places);
}

/** hidden [..., D] → logits [..., V]. */
export function languageModelHead(weights: Weights, hidden: Tensor): Tensor {
  return op.linear(hidden, weights('language_model.lm_head.weight'));
}

/** The model folder's own linear projection, Q-Former rows [..., Dq] → visual tokens [..., D]. */
export function languageProjection(weights: Weights, queries: Tensor): Tensor {
  return op.linear(queries, weights('language_projection.weight'), weights('language_projection.bias'));
}
