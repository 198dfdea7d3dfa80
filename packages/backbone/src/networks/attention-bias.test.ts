import { createSession, Graph } from '@emac/graph';
import { describe, expect, it } from 'vitest';

import { attentionBias } from './attention-bias.ts';

/** One text per row: x if position i (row) sees position j (column). */
function drawn(data: Float32Array, length: number): string[] {
  const signs = Array.from(data, (bias) => (bias === 0 ? 'x' : '.')).join('');
  return signs.match(new RegExp(`.{${length}}`, 'g'))!;
}

describe('attention bias', () => {
  it('lets two responses share a prompt without seeing each other', async () => {
    const graph = new Graph();
    graph.output('bias', attentionBias(graph.input('segments', 'int64', ['B', 'S'])));
    const session = await createSession(graph);
    const data = BigInt64Array.from([0, 0, 1, 1, 2, 2, -1, 0, -1, 0, 1, 2, 2, -1], BigInt);
    const { bias } = await session.run({ segments: { type: 'int64', shape: [2, 7], data } });
    await session.dispose();
    expect(bias!.shape).toEqual([2, 1, 7, 7]);
    // by hand: prompt causal, 1 and 2 separate, padding (−1) sees only the prompt and itself
    expect(drawn(bias!.data as Float32Array, 7)).toEqual([
      ...['x......', 'xx.....', 'xxx....', 'xxxx...', 'xx..x..', 'xx..xx.', 'xx....x'],
      ...['x......', 'xx.....', 'x.x....', 'x.xx...', 'x.x.x..', 'x.x.xx.', 'x.x...x'],
    ]);
  });
});
