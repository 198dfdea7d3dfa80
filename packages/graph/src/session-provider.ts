/** ONNX Runtime's execution providers: how sessions are configured, and what to do when one is not there. */
import { EmacError, messageOf } from '@emac/core';

export type Provider = 'cpu' | 'webgpu' | 'cuda';

/** Options of a session: weights used in place from files, no spinning threads. */
export function onnxOptions(provider: Provider, threads: number | undefined): object {
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
        intra_op: { allow_spinning: '0' },
      },
    },
  };
}

/** What a refused session means: `unavailable` for an absent provider, else `internal`. */
export function creationError(provider: Provider, error: unknown): EmacError {
  const message = messageOf(error);
  const hints = {
    cpu: '',
    webgpu: 'WebGPU needs libvulkan and a Vulkan driver (a GPU, or SwiftShader through VK_DRIVER_FILES)',
    cuda: 'CUDA needs the onnxruntime CUDA provider libraries beside onnxruntime-node, CUDA 12 and cuDNN 9',
  };
  if (provider !== 'cpu' && /adapter|shared library|not available|webgpu|cuda/i.test(message))
    return new EmacError(
      'unavailable',
      `provider ${provider} is not available here: ${message}; ${hints[provider]}`,
      { cause: error },
    );
  return new EmacError('internal', `ONNX Runtime refused the graph: ${message}`, { cause: error });
}
