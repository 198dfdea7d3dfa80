/** ONNX Runtime's execution providers: session options, and errors for an absent provider. */
import { EmacError, messageOf } from '@emac/core';

export type Provider = 'cpu' | 'webgpu' | 'cuda';

export interface ThreadOptions {
  readonly threads?: number | undefined;
  readonly packWeights?: boolean | undefined;
  readonly spin?: boolean | undefined;
  /** default true */
  readonly foldConstants?: boolean | undefined;
  /** default true */
  readonly planMemory?: boolean | undefined;
  /** default false */
  readonly returnMemory?: boolean | undefined;
  /** nodes without a WebGPU kernel run on the CPU instead of failing; default false */
  readonly cpuNodes?: boolean | undefined;
  /** outputs that stay in the memory of a GPU */
  readonly onDevice?: readonly string[] | undefined;
  /** path prefix of profile files: each node's time and device */
  readonly profile?: string | undefined;
  /** flushes denormal numbers to 0 in the computing threads; not for threads that also run other code */
  readonly flushDenormals: boolean;
}

/** ONNX Runtime's passes that precompute constants: general folding, and casts of float16 weights. */
const foldings = ['ConstantFolding', 'FuseFp16InitializerToFp32NodeTransformer'];

/**
 * How long a thread spins: longer than the gap between two products of a decoding step, far shorter than another
 * program's time slice. Without a limit, threads would spin for one that is not scheduled.
 */
const spinMicroseconds = 100;

/**
 * Options of a session: weights used in place from files, no spinning threads by default. A softmax over masked scores ends in
 * denormal numbers (e⁻¹⁰⁴), which processors handle many times slower. Flushed to 0, reading a prompt took 12 ms instead of 21 and a
 * training step 235 ms instead of 275, with bit-identical results.
 */
export function onnxOptions(provider: Provider, options: ThreadOptions): object {
  const { threads, packWeights = false, spin = false, flushDenormals, cpuNodes = false } = options;
  const { onDevice = [], profile, foldConstants = true, planMemory = true, returnMemory = false } = options;
  const locations = onDevice.map((name) => [name, 'gpu-buffer'] as const);
  return {
    executionProviders: [provider],
    ...(threads ? { intraOpNumThreads: threads } : {}),
    ...(profile ? { enableProfiling: true, profileFilePrefix: profile } : {}),
    // the only provider whose outputs ONNX Runtime's binding can leave on the device
    ...(provider === 'webgpu' && locations.length > 0
      ? { preferredOutputLocation: Object.fromEntries(locations) }
      : {}),
    interOpNumThreads: 1,
    enableMemPattern: planMemory,
    enableCpuMemArena: !returnMemory,
    // fatal messages only: other errors are thrown, and packages never print
    logSeverityLevel: 4,
    extra: {
      // a GPU gets its weights once; types that it cannot read would be cast on the CPU in every run
      ...(foldConstants || provider === 'webgpu'
        ? {}
        : { optimization: { disable_specified_optimizers: foldings.join(';') } }),
      session: {
        model_external_initializers_file_folder_path: '/',
        disable_prepacking: packWeights ? '0' : '1',
        set_denormal_as_zero: flushDenormals ? '1' : '0',
        intra_op: { allow_spinning: spin ? '1' : '0', spin_duration_us: String(spinMicroseconds) },
        force_spinning_stop: '1',
        disable_cpu_ep_fallback: provider === 'webgpu' && !cpuNodes ? '1' : '0',
      },
    },
  };
}

/** True if a session was refused because nodes would run on the CPU. */
export function isCpuRefusal(error: unknown): boolean {
  return /fallback to CPU EP has been explicitly disabled/i.test(messageOf(error));
}

/** Translates a session's error: `unavailable` for an absent provider, else `internal`; our own errors stay unchanged. */
export function creationError(provider: Provider, error: unknown): EmacError {
  if (error instanceof EmacError) return error;
  const message = messageOf(error)
    .trim()
    .replace(/\s*\n\s*/g, ' ');
  const hints = {
    cpu: '',
    webgpu:
      'WebGPU needs a GPU; outside a browser also libvulkan and a Vulkan driver (of a GPU, or SwiftShader through VK_DRIVER_FILES)',
    cuda: 'CUDA needs an NVIDIA driver, CUDA, cuDNN 9, and the CUDA provider libraries of onnxruntime-gpu beside onnxruntime-node',
  };
  if (provider !== 'cpu' && /adapter|shared library|not available|webgpu|cuda/i.test(message))
    return new EmacError(
      'unavailable',
      `provider ${provider} is not available here: ${message}; ${hints[provider]}`,
      { cause: error },
    );
  return new EmacError('internal', `ONNX Runtime refused the graph: ${message}`, { cause: error });
}
