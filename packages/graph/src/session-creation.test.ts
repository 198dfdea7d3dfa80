import { describe, expect, it } from 'vitest';
import { encodeModel, Graph, op } from './index.ts';
import { compile } from './session-creation.ts';
import { isCpuRefusal, onnxOptions } from './session-provider.ts';
import type { Model, SessionThread } from './running-thread.ts';
import { mainThread } from './session-thread.ts';

/** ONNX Runtime's own message for a graph that must avoid the CPU when there is nothing else. */
async function realRefusal(): Promise<Error> {
  const graph = new Graph();
  graph.output('y', op.negate(graph.input('x', 'float32', [1])));
  const options = { ...onnxOptions('webgpu', { flushDenormals: false }), executionProviders: ['cpu'] };
  return (await mainThread()).create(-1, { bytes: encodeModel(graph) }, options).then(
    () => expect.fail('was not refused'),
    (error: unknown) => error as Error,
  );
}

interface Attempt {
  readonly nodes: readonly string[];
  readonly isStrict: boolean;
}

const operators = ['Range', 'Neg', 'Exp'];

/** A provider without kernels for some operators. */
function deviceWithout(missing: readonly string[], refusal: Error) {
  const attempts: Attempt[] = [];
  const released: number[] = [];
  const thread = {
    create: (_session: number, { bytes }: Model, options: object) => {
      const text = Buffer.from(bytes).toString('latin1');
      const nodes = operators.filter((operator) => text.includes(operator));
      const { extra } = options as { extra: { session: { disable_cpu_ep_fallback: string } } };
      const isStrict = extra.session.disable_cpu_ep_fallback === '1';
      attempts.push({ nodes, isStrict });
      return isStrict && nodes.some((node) => missing.includes(node))
        ? Promise.reject(refusal)
        : Promise.resolve();
    },
    release: (session: number) => Promise.resolve(void released.push(session)),
  } as unknown as SessionThread;
  return { attempts, released, thread };
}

describe('compiling for WebGPU', () => {
  const options = { flushDenormals: false };

  /** −x + 0 … n−1, and eˣ; `Range` may run on the CPU. */
  function graphOf(): Graph {
    const graph = new Graph();
    const x = graph.input('x', 'float32', ['N', 'N']);
    graph.output('positions', op.range(x, 0));
    graph.output('y', op.negate(x));
    graph.output('z', op.exp(x));
    return graph;
  }

  it('excludes the CPU if every operator has a kernel', async () => {
    const { attempts, thread } = deviceWithout([], await realRefusal());
    await compile(graphOf(), { thread, provider: 'webgpu', options });
    expect(attempts).toEqual([{ nodes: ['Range', 'Neg', 'Exp'], isStrict: true }]);
  });

  it('allows the CPU only for listed nodes, after all others compiled without it', async () => {
    const { attempts, released, thread } = deviceWithout(['Range'], await realRefusal());
    const session = await compile(graphOf(), { thread, provider: 'webgpu', options });
    const probed = attempts.slice(1, -1);
    expect(attempts[0]!.isStrict).toBe(true);
    expect(probed.every(({ isStrict }) => isStrict)).toBe(true);
    expect(probed.flatMap(({ nodes }) => nodes).sort()).toEqual(['Exp', 'Neg']);
    expect(attempts.at(-1)).toEqual({ nodes: ['Range', 'Neg', 'Exp'], isStrict: false });
    expect(released).toHaveLength(probed.length);
    expect(released).not.toContain(session);
  });

  it('names every unlisted operator that would run on the CPU', async () => {
    const { attempts, thread } = deviceWithout(['Range', 'Neg', 'Exp'], await realRefusal());
    await expect(compile(graphOf(), { thread, provider: 'webgpu', options })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/no kernel for Neg \(float32\), Exp \(float32\)/) as string,
    });
    expect(attempts.every(({ isStrict }) => isStrict)).toBe(true);
  });

  it('recognises the refusal by ONNX Runtime’s message', async () => {
    expect(isCpuRefusal(await realRefusal())).toBe(true);
    expect(isCpuRefusal(new Error('Failed to get a WebGPU adapter'))).toBe(false);
  });
});
