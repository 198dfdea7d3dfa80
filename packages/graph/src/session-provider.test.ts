import { EmacError } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { creationError, onnxOptions } from './session-provider.ts';

describe('a session that cannot be created', () => {
  it('keeps an error of ours, whatever the provider', () => {
    const ours = new EmacError('missing', 'weights.bin: does not exist');
    expect(creationError('cpu', ours)).toBe(ours);
    expect(creationError('webgpu', ours)).toBe(ours);
  });

  it('says how to install an absent provider', () => {
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
    ['webgpu', false, '1'],
    ['webgpu', true, '0'],
    ['cuda', false, '0'],
    ['cpu', false, '0'],
  ] as const)('for %s with CPU nodes %s disable the CPU fallback: %s', (provider, cpuNodes, disabled) => {
    expect(onnxOptions(provider, { flushDenormals: true, cpuNodes })).toMatchObject({
      extra: { session: { disable_cpu_ep_fallback: disabled } },
    });
  });

  it('let spinning threads spin for a tenth of a millisecond', () => {
    const waiting = (spin: boolean) => {
      const { extra } = onnxOptions('cpu', { flushDenormals: true, spin }) as {
        extra: { session: { intra_op: object } };
      };
      return extra.session.intra_op;
    };
    expect(waiting(true)).toEqual({ allow_spinning: '1', spin_duration_us: '100' });
    expect(waiting(false)).toMatchObject({ allow_spinning: '0' });
  });

  it('leave outputs on the device for WebGPU only', () => {
    const options = { flushDenormals: true, onDevice: ['keys'] };
    expect(onnxOptions('webgpu', options)).toMatchObject({ preferredOutputLocation: { keys: 'gpu-buffer' } });
    for (const provider of ['cpu', 'cuda'] as const)
      expect(onnxOptions(provider, options)).not.toHaveProperty('preferredOutputLocation');
  });
});
