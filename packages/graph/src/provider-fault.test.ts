import { describe, expect, it } from 'vitest';
import { farthest, providerFault } from './provider-fault.ts';
import { providerIsAvailable } from './session.ts';
import type { Value } from './session-value.ts';

const of = (...data: number[]): Value => ({
  type: 'float32',
  shape: [data.length],
  data: Float32Array.from(data),
});

const hasCuda = await providerIsAvailable('cuda');

describe('a provider before it is trusted', () => {
  it('has no fault if it computes as the processor does', async () => {
    expect(await providerFault('cpu')).toBeNull();
    // a GPU, or SwiftShader
    if (await providerIsAvailable('webgpu')) expect(await providerFault('webgpu')).toBeNull();
  });

  it.skipIf(hasCuda)('says why it is not there', async () => {
    expect(await providerFault('cuda')).toMatch(/^provider cuda is not available here/);
  });

  it('is as far off as its worst output, relative to the largest number there', () => {
    const expected = { y: of(100, 1), dx: of(0.5, -2) };
    expect(farthest({ y: of(100, 1.5), dx: of(0.5, -2) }, expected)).toEqual({ name: 'y', share: 0.005 });
    // |−1 − (−2)| of 2
    expect(farthest({ y: of(100, 1.5), dx: of(0.5, -1) }, expected)).toEqual({ name: 'dx', share: 0.5 });
    expect(farthest({ y: of(100, 1), dx: of(NaN, -2) }, expected)).toEqual({ name: 'dx', share: Infinity });
  });
});
