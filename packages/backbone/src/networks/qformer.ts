/**
 * The Q-Former (Li et al., arXiv 2301.12597; with text as in InstructBLIP, arXiv 2305.06500): a post-norm BERT over
 * query tokens and optional text; in every f-th layer the queries attend to the image. Queries and text attend to each
 * other but have separate feed-forwards. Text rows of the last layer have no reader and are not computed. No dropout:
 * the network is frozen.
 */
import { op, type Tensor } from '@emac/graph';

import { activate } from './activation.ts';
import { mergeHeads, splitHeads } from './heads.ts';
import type { QFormerConfig } from '../files/model-config.ts';
import type { Weights } from './weights.ts';

export interface QFormerText {
  /** int64 [B, T] */
  readonly ids: Tensor;
  /** int64 [B, T]: 1 for text, 0 for padding */
  readonly mask: Tensor;
}

interface Rows {
  readonly queries: Tensor;
  readonly text: Tensor | null;
}

interface Scope {
  readonly weights: Weights;
  readonly config: QFormerConfig;
}

/** imageHidden [B, P, Dv] and optional text → query rows [B, Nq, Dq]. */
export function qformer(
  weights: Weights,
  config: QFormerConfig,
  { imageHidden, text }: { imageHidden: Tensor; text?: QFormerText },
): Tensor {
  const scope: Scope = { weights, config };
  let rows = embed(scope, imageHidden, text);
  const bias = text ? textBias(rows.queries, text) : undefined;
  for (let layer = 0; layer < config.layers; layer++) {
    const prefix = `qformer.encoder.layer.${layer}`;
    const last = layer === config.layers - 1;
    const seen = selfAttention(scope, `${prefix}.attention`, { rows, bias, last });
    const looks = layer % config.crossAttentionFrequency === 0;
    const queries = looks
      ? crossAttention(scope, `${prefix}.crossattention`, { queries: seen.queries, imageHidden })
      : seen.queries;
    rows = {
      queries: feedForward(scope, {
        x: queries,
        inner: `${prefix}.intermediate_query`,
        outer: `${prefix}.output_query`,
      }),
      text:
        seen.text &&
        feedForward(scope, { x: seen.text, inner: `${prefix}.intermediate`, outer: `${prefix}.output` }),
    };
  }
  return rows.queries;
}

/** Queries have no position, text counts from 0; both pass one norm. */
function embed(scope: Scope, imageHidden: Tensor, text?: QFormerText): Rows {
  const { weights } = scope;
  const normalize = (x: Tensor) => norm(scope, 'qformer.embeddings.layernorm', x);
  const tokens = weights('query_tokens');
  const queries = op.expand(normalize(tokens), [imageHidden.shape[0]!, tokens.shape[1]!, tokens.shape[2]!]);
  if (!text) return { queries, text: null };
  const words = op.gather(weights('qformer.embeddings.word_embeddings.weight'), text.ids);
  const places = op.gather(weights('qformer.embeddings.position_embeddings.weight'), op.range(text.ids, 1));
  return { queries, text: normalize(op.add(words, places)) };
}

/** Added to scores [B, 1, 1, Nq + T]: 0 for queries and text, −10000 for padding. */
function textBias(queries: Tensor, { mask }: QFormerText): Tensor {
  const { graph } = mask;
  const [batch, length] = mask.shape;
  const count = queries.shape[1] as number;
  const open = op.expand(graph.constant(new Float32Array(count), [1, count]), [batch!, count]);
  const padding = op.scale(op.subtract(graph.scalar(1), op.cast(mask, 'float32')), -10000);
  const both = op.concat([open, op.reshape(padding, [batch!, length!])], 1);
  return op.reshape(both, [batch!, 1, 1, both.shape[1]!]);
}

function selfAttention(
  scope: Scope,
  prefix: string,
  { rows, bias, last }: { rows: Rows; bias: Tensor | undefined; last: boolean },
): Rows {
  const parts = rows.text ? [rows.queries, rows.text] : [rows.queries];
  const joined = (name: string) =>
    op.concat(
      parts.map((part) => project(scope, `${prefix}.attention.${name}`, part)),
      2,
    );
  const [key, value] = [joined('key'), joined('value')];
  const attend = (x: Tensor) => attention(scope, prefix, { x, key, value, ...(bias ? { bias } : {}) });
  return { queries: attend(rows.queries), text: rows.text && !last ? attend(rows.text) : null };
}

function crossAttention(
  scope: Scope,
  prefix: string,
  { queries, imageHidden }: { queries: Tensor; imageHidden: Tensor },
): Tensor {
  const key = project(scope, `${prefix}.attention.key`, imageHidden);
  const value = project(scope, `${prefix}.attention.value`, imageHidden);
  return attention(scope, prefix, { x: queries, key, value });
}

/** One attention block with its residual and norm; key and value [B, H, T, d]. */
function attention(
  scope: Scope,
  prefix: string,
  { x, ...rest }: { x: Tensor; key: Tensor; value: Tensor; bias?: Tensor },
): Tensor {
  const { hiddenSize, heads } = scope.config;
  const query = project(scope, `${prefix}.attention.query`, x);
  const mixed = mergeHeads(op.attention({ query, ...rest, scale: 1 / Math.sqrt(hiddenSize / heads) }));
  return norm(scope, `${prefix}.output.LayerNorm`, op.add(dense(scope, `${prefix}.output.dense`, mixed), x));
}

function feedForward(scope: Scope, { x, inner, outer }: { x: Tensor; inner: string; outer: string }): Tensor {
  const active = activate(scope.config.activation, dense(scope, `${inner}.dense`, x));
  return norm(scope, `${outer}.LayerNorm`, op.add(dense(scope, `${outer}.dense`, active), x));
}

function project(scope: Scope, name: string, x: Tensor): Tensor {
  return splitHeads(dense(scope, name, x), scope.config.heads);
}

function dense({ weights }: Scope, name: string, x: Tensor): Tensor {
  return op.linear(x, weights(`${name}.weight`), weights(`${name}.bias`));
}

function norm({ weights, config }: Scope, name: string, x: Tensor): Tensor {
  return op.layerNorm(
    x,
    { weight: weights(`${name}.weight`), bias: weights(`${name}.bias`) },
    config.normEpsilon,
  );
}
