import { EmacError } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { encodeModel, Graph, op } from './index.ts';
import { creationError, onnxOptions } from './session-provider.ts';
import { mainThread } from './session-thread.ts';

describe('a session that cannot be created', () => {
  it('keeps an error of ours, whatever the provider', () => {
    const ours = new EmacError('missing', 'weights.bin: is not there');
    expect(creationError('cpu', ours)).toBe(ours);
    expect(creationError('webgpu', ours)).toBe(ours);
  });

  it('says in one line that WebGPU lacks operators of the graph, which ONNX Runtime refuses to put elsewhere', async () => {
    const graph = new Graph();
    graph.output('y', op.negate(graph.input('x', 'float32', [1])));
    // without a GPU: every node is assigned to the CPU
    const options = { ...onnxOptions('webgpu', { flushDenormals: false }), executionProviders: ['cpu'] };
    const thread = await mainThread();
    const refusal: unknown = await thread.create(0, encodeModel(graph), options).catch((thrown) => thrown);
    const error = creationError('webgpu', refusal);
    expect(error).toMatchObject({ code: 'unavailable', cause: refusal });
    expect(error.message).toMatch(/^provider webgpu: this graph has operators without WebGPU kernels.*$/);
    expect(creationError('cpu', refusal).code).toBe('internal');
  });

  it('says what an absent provider needs', () => {
    const error = creationError(
      'webgpu',
      new Error('context.cc:136 Failed to get a WebGPU adapter:\nnone\n'),
    );
    expect(error.code).toBe('unavailable');
    expect(error.message).toMatch(/^provider webgpu is not available here: .* adapter: none; .*libvulkan.*$/);
    expect(creationError('cpu', new Error('no such operator'))).toMatchObject({
      code: 'internal',
      message: 'ONNX Runtime refused the graph: no such operator',
    });
  });
});

describe('the options of a session', () => {
  it.each([
    ['webgpu', '1'],
    ['cuda', '0'],
    ['cpu', '0'],
  ] as const)('for %s disable the fallback to the CPU: %s', (provider, disabled) => {
    expect(onnxOptions(provider, { flushDenormals: true })).toMatchObject({
      extra: { session: { disable_cpu_ep_fallback: disabled } },
    });
  });
});
