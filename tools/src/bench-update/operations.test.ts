import { describe, expect, it } from 'vitest';
import { firstOperations, publishedOperations, savedOperations, sumOf } from './operations.ts';

type Networks = Parameters<typeof publishedOperations>[0];

/** Sizes small enough to count by hand; only those that matter for counting. */
const networks = {
  vision: { hiddenSize: 2, intermediateSize: 3, layers: 1, heads: 1, imageSize: 4, patchSize: 2 },
  qformer: {
    hiddenSize: 2,
    intermediateSize: 3,
    layers: 3,
    heads: 1,
    crossAttentionFrequency: 2,
    encoderHiddenSize: 2,
  },
  llama: {
    hiddenSize: 4,
    intermediateSize: 5,
    layers: 2,
    heads: 2,
    keyValueHeads: 1,
    headSize: 2,
    vocabulary: 10,
  },
  queryTokens: 1,
} as unknown as Networks;
/** Rows of 1 + 5 + 2 and 1 + 5 + 3 positions, together 1 + 5 + 2 + 3. */
const pair = { prompt: 5, chosen: 2, rejected: 3 };

// one position through one layer: 2 · 4 · (2·4 + 2·2 + 3·5) = 216; through the head: 2 · 4 · 10 = 80
// attention of n positions in one layer: 3/4 · 2 products · 2 · n² · 4 = 12 n²
describe('operations of an update', () => {
  it('as published: four passes forward and two backward, with all logits', () => {
    expect(publishedOperations(networks, [pair])).toEqual({
      // patches 4 · 2 · 12 · 2 = 192; ViT layer of 5 tokens 2·5·2·(8 + 6) + 4·25·2 = 480;
      // Q-Former layer 2·1·2·(8 + 6) + 4·2 = 64, three times; looking at the image 2·2·4 + 4·5·2 + 2·5·2·4 = 136, twice
      vision: 192 + 480 + 3 * 64 + 2 * 136,
      // 2 · 2 · 4 = 16: policy, reference, gradient
      projection: 3 * 16,
      // 8 and 9 positions, each three times, two layers
      layers: 3 * 17 * 2 * 216,
      // twice forward and once backward; backward counts double
      attention: 4 * 2 * 12 * (64 + 81),
      head: 3 * 17 * 80,
    });
  });

  it('pads published rows to the longest of the batch, each answer by itself', () => {
    const longer = { prompt: 7, chosen: 1, rejected: 1 };
    const { head } = publishedOperations(networks, [pair, longer]);
    // longest rows: chosen 1 + 7 + 1 = 9, rejected 1 + 5 + 3 = 9, others 1 + 8
    expect(head).toBe(3 * (2 * 9 + 2 * 9) * 80);
  });

  it('saved: one row for both answers, logits of their tokens, once each way', () => {
    expect(savedOperations(networks, [pair])).toEqual({
      vision: 0,
      projection: 2 * 16,
      layers: 2 * 11 * 2 * 216,
      attention: 3 * 2 * 12 * 121,
      head: 2 * 5 * 80,
    });
  });

  it('the first time: vision and one more pass forward', () => {
    expect(firstOperations(networks, [pair])).toEqual({
      vision: 1136,
      projection: 3 * 16,
      layers: 3 * 11 * 2 * 216,
      attention: 4 * 2 * 12 * 121,
      head: 3 * 5 * 80,
    });
  });

  it('have the bound 3(P + R)/(P + 2R) if all products are with layer weights', () => {
    const lengths = { prompt: 299, chosen: 20, rejected: 20 };
    const published = publishedOperations(networks, [lengths]).layers;
    const saved = savedOperations(networks, [lengths]).layers;
    expect(published / saved).toBeCloseTo((3 * (300 + 20)) / (300 + 40), 12);
  });

  it('add up', () => {
    expect(sumOf({ vision: 1, projection: 2, layers: 3, attention: 4, head: 5 })).toBe(15);
  });
});
