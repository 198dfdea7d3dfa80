/**
 * The language model of a tiny model in training: the product's own LLaMA graph with weights as graph inputs, and a
 * weighted next-token loss.
 */
import { expectedTensors, llama, type InstructBlipConfig, type LlamaConfig } from '@emac/backbone';
import type { Random } from '@emac/core';
import { op, type Tensor } from '@emac/graph';
import { sizeOf, type Parameters } from './parameters.ts';

/** Norms start at 1, matrices normal with deviation 1/√in, those that write into the residual stream smaller. */
export function initialLanguageModel(
  config: InstructBlipConfig,
  vocabulary: number,
  random: Random,
): Parameters {
  const own = [...expectedTensors(config)].filter(([name]) => name.startsWith('language_model.'));
  return new Map(
    own.map(([name, expected]) => {
      const shape = expected.map((length) => length ?? vocabulary);
      const size = sizeOf(shape);
      const stream = random.stream(name);
      const residual = /o_proj|down_proj/.test(name) ? 1 / Math.sqrt(2 * config.llama.layers) : 1;
      const deviation = /embed_tokens|lm_head/.test(name) ? 0.05 : residual / Math.sqrt(shape[1] ?? 1);
      const data =
        shape.length === 1
          ? new Float32Array(size).fill(1)
          : Float32Array.from({ length: size }, () => deviation * stream.normal());
      return [name, { shape, data }];
    }),
  );
}

/**
 * Σ weight · −log p of labels after embeddings [B, S, D], with `count` labels. Adds the inputs `positions`, `labels`
 * and `weights` [L] and the outputs `loss` and `log-probabilities` [L] to the graph.
 */
export function lossAfter(
  embeddings: Tensor,
  config: LlamaConfig,
  { weight, count }: { readonly weight: (name: string) => Tensor; readonly count: string },
): Tensor {
  const { graph } = embeddings;
  const positions = graph.input('positions', 'int64', ['L']);
  const labels = graph.input('labels', 'int64', ['L']);
  const labelWeights = graph.input('weights', 'float32', ['L']);
  const { hidden } = llama(weight, config, { embeddings, ...attentionInputs(embeddings) });
  const rows = op.gather(op.reshape(hidden, [count, config.hiddenSize]), positions);
  const logits = op.linear(rows, weight('language_model.lm_head.weight'));
  const logProbabilities = op.labelLogProbabilities(logits, labels);
  graph.output('log-probabilities', logProbabilities);
  const loss = op.negate(op.reduceSum(op.multiply(logProbabilities, labelWeights), [0]));
  graph.output('loss', loss);
  return loss;
}

/** Positions from 0 and a causal mask: padding on the right is never attended to. */
function attentionInputs(embeddings: Tensor): { positionIds: Tensor; mask: Tensor } {
  const { graph } = embeddings;
  const [batch, length] = embeddings.shape as [Tensor['shape'][number], Tensor['shape'][number]];
  const index = op.range(embeddings, 1);
  const positionIds = op.expand(op.reshape(index, [1, length]), [batch, length]);
  const seen = op.lessOrEqual(op.reshape(index, [1, 1, 1, length]), op.reshape(index, [1, 1, length, 1]));
  return { positionIds, mask: op.where(seen, graph.scalar(0), graph.scalar(-1e30)) };
}
