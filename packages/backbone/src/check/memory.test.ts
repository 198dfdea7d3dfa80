import { expect, it } from 'vitest';

import { adapterTargets } from '../networks/adapter.ts';
import { openModelFiles } from '../files/model-files.ts';
import { memoryOf, type AdapterSize, type MemoryNeed } from './memory.ts';

const files = openModelFiles(new URL('../../fixtures/families/qwen2_5_vl/', import.meta.url).pathname);
const { hiddenSize, heads, headSize, keyValueHeads, intermediateSize, layers: count } = files.config.llama;
const prompt = { visual: 16, text: 100, answer: 12 };
const tokens = 128;

function needs(layers: 'resident' | 'streamed', adapter: AdapterSize) {
  const found = memoryOf(files, { layers, prompt, adapter });
  return (use: MemoryNeed['use']) => found.find((each) => each.use === use)!.bytes;
}

it("counts an adapter's numbers eight times, its narrow products and its inputs", () => {
  const adapter = 'training an adapter, activations kept';
  const queries = { rank: 8, targets: ['q_proj'] } as const;
  const wider = { ...queries, rank: 20 };
  // A [r, D] and B [r, H · d] of every layer, and r numbers per token and layer
  const twelve = 12 * count * (8 * (hiddenSize + heads * headSize) + tokens);
  for (const layers of ['resident', 'streamed'] as const)
    expect(needs(layers, wider)(adapter) - needs(layers, queries)(adapter)).toBe(4 * twelve);
  // keys read the same inputs as queries; the feed-forward's last projection reads I numbers more per token
  const numbers = (outWidth: number, inWidth: number) => 8 * count * (8 * (inWidth + outWidth) + tokens);
  const more = (layers: 'resident' | 'streamed', target: 'k_proj' | 'down_proj') =>
    needs(layers, { rank: 8, targets: ['q_proj', target] })(adapter) - needs(layers, queries)(adapter);
  const down = numbers(hiddenSize, intermediateSize);
  expect(more('streamed', 'k_proj')).toBe(4 * numbers(keyValueHeads * headSize, hiddenSize));
  expect(more('streamed', 'down_proj')).toBe(4 * (down + tokens * intermediateSize));
  expect(more('resident', 'down_proj')).toBe(4 * (down + tokens * intermediateSize * count));
});

it('adds the projection’s gradient and moments if it is trained too', () => {
  const needed = needs('streamed', { rank: 8, targets: adapterTargets });
  // 20,640 parameters of the connector (`model-check.test.ts`), held once or five times
  for (const activations of ['kept', 'recomputed'] as const)
    expect(
      needed(`training both, activations ${activations}`) -
        needed(`training an adapter, activations ${activations}`),
    ).toBe(4 * 4 * 20_640);
  expect(needed('training both, activations kept')).toBeGreaterThan(
    needed('training both, activations recomputed'),
  );
});

it('counts weights as stored if layers are streamed: the vision encoder, two layers and the head', () => {
  const tensors = new Map(
    [...files.tensors].map(([name, tensor]) => [name, { ...tensor, dtype: 'F16' as const }]),
  );
  const acting = (of: typeof files, layers: 'resident' | 'streamed') =>
    memoryOf(of, { layers, prompt, adapter: { rank: 8, targets: adapterTargets } })[0]!.bytes;
  const sizes = [...tensors.values()].map(({ name, shape }) => ({
    name,
    size: shape.reduce((product, each) => product * each, 1),
  }));
  const sum = (pattern: RegExp) =>
    sizes.reduce((total, { name, size }) => total + (pattern.test(name) ? size : 0), 0);
  const stored = sum(/^visual\./) + (2 / count) * sum(/\.layers\./) + sum(/embed_tokens/);
  const halved = { ...files, tensors };
  // two bytes fewer per number
  expect(acting(files, 'streamed') - acting(halved, 'streamed')).toBe(2 * stored);
  expect(acting(halved, 'resident')).toBe(acting(files, 'resident'));
});
