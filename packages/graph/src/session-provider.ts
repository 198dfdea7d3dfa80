/** ONNX Runtime's execution providers: how sessions are configured, and what to do when one is not there. */
import { EmacError, messageOf } from '@emac/core';

export type Provider = 'cpu' | 'webgpu' | 'cuda';

export interface ThreadOptions {
  readonly threads?: number | undefined;
  /** flushes denormal numbers to 0 in the threads that compute; not for threads that run other code too */
  readonly flushDenormals: boolean;
}

/**
 * Options of a session: weights used in place from files, no spinning threads. A softmax over masked scores ends in
 * denormal numbers (e⁻¹⁰⁴), on which processors are many times slower: flushed to 0, reading a prompt took 12 ms
 * instead of 21 and a training step 235 instead of 275, with the same bits as results.
 */
export function onnxOptions(provider: Provider, { threads, flushDenormals }: ThreadOptions): object {
  return {
    executionProviders: [provider],
    ...(threads ? { intraOpNumThreads: threads } : {}),
    interOpNumThreads: 1,
    // only what is fatal: other errors are thrown, and packages never print
    logSeverityLevel: 4,
    extra: {
      session: {
        model_external_initializers_file_folder_path: '/',
        disable_prepacking: '1',
        set_denormal_as_zero: flushDenormals ? '1' : '0',
        intra_op: { allow_spinning: '0' },
        // operators without a WebGPU kernel would run on the CPU unseen, with a copy there and back for each
        disable_cpu_ep_fallback: provider === 'webgpu' ? '1' : '0',
      },
    },
  };
}

/**
 * What a refused session means: `unavailable` for an absent provider or one without the graph's operators, else
 * `internal`; our own errors stay what they are.
 */
export function creationError(provider: Provider, error: unknown): EmacError {
  if (error instanceof EmacError) return error;
  const message = messageOf(error)
    .trim()
    .replace(/\s*\n\s*/g, ' ');
  const hints = {
    cpu: '',
    webgpu: 'WebGPU needs libvulkan and a Vulkan driver (a GPU, or SwiftShader through VK_DRIVER_FILES)',
    cuda: 'CUDA needs the onnxruntime CUDA provider libraries beside onnxruntime-node, CUDA 12 and cuDNN 9',
  };
  if (provider === 'webgpu' && /fallback to CPU EP has been explicitly disabled/i.test(message))
    return new EmacError(
      'unavailable',
      'provider webgpu: this graph has operators without WebGPU kernels; use another provider, such as cpu',
      { cause: error },
    );
  if (provider !== 'cpu' && /adapter|shared library|not available|webgpu|cuda/i.test(message))
    return new EmacError(
      'unavailable',
      `provider ${provider} is not available here: ${message}; ${hints[provider]}`,
      { cause: error },
    );
  return new EmacError('internal', `ONNX Runtime refused the graph: ${message}`, { cause: error });
}
