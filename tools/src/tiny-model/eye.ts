/** An untrained vision encoder of a tiny model: ViT, Q-Former without text, and projection. */
import { expectedTensors, type InstructBlipConfig } from '@emac/backbone';
import type { Random } from '@emac/core';
import { sizeOf, type Parameters } from './parameters.ts';

export function eyeShapes(config: InstructBlipConfig): Map<string, number[]> {
  const trained = [...expectedTensors(config)].filter(
    ([name]) =>
      name.startsWith('vision_model.') ||
      name.startsWith('language_projection.') ||
      name === 'query_tokens' ||
      /^qformer\.(embeddings\.layernorm|encoder.*(attention|_query))/.test(name),
  );
  return new Map(trained.map(([name, shape]) => [name, shape as number[]]));
}

export function initialEye(shapes: ReadonlyMap<string, number[]>, random: Random): Parameters {
  return new Map(
    [...shapes].map(([name, shape]) => {
      const size = sizeOf(shape);
      const stream = random.stream(name);
      const deviation =
        /embedding|query_tokens/.test(name) && !/patch/.test(name) ? 0.05 : 1 / Math.sqrt(size / shape[0]!);
      const fill = /norm/i.test(name) && name.endsWith('weight') ? 1 : 0;
      const scale = name === 'query_tokens' ? 1 : deviation;
      const data =
        shape.length === 1
          ? new Float32Array(size).fill(fill)
          : Float32Array.from({ length: size }, () => scale * stream.normal());
      return [name, { shape, data }];
    }),
  );
}
