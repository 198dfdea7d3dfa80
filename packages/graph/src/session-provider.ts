/** ONNX Runtime's execution providers: how sessions are configured, and what to do when one is not there. */
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
  /** nodes without a WebGPU kernel run on the CPU, instead of being refused; default false */
  readonly cpuNodes?: boolean | undefined;
  /** outputs that stay in the memory of a GPU */
  readonly onDevice?: readonly string[] | undefined;
  /** start of the path of a file that says what each node took, and where */
  readonly profile?: string | undefined;
  /** flushes denormal numbers to 0 in the threads that compute; not for threads that run other code too */
  readonly flushDenormals: boolean;
}

/** What in ONNX Runtime computes constants beforehand: in general, and casts of float16 weights. */
const foldings = ['ConstantFolding', 'FuseFp16InitializerToFp32NodeTransformer'];

/**
 * How long a thread waits awake: longer than from one product of a decoding step to the next, far shorter than another
 * program's turn on the core. Without a limit, threads wait awake for one that is not running.
 */
const spinMicroseconds = 100;

/**
 * Options of a session: weights used in place from files, no spinning threads, unless asked for. A softmax over masked scores ends in
 * denormal numbers (e⁻¹⁰⁴), on which processors are many times slower: flushed to 0, reading a prompt took 12 ms
 * instead of 21 and a training step 235 instead of 275, with the same bits as results.
 */
export function onnxOptions(provider: Provider, options: ThreadOptions): object {
  const { threads, packWeights = false, spin = false, flushDenormals, cpuNodes = false } = options;
  const { onDevice = [], profile, foldConstants = true, planMemory = true, returnMemory = false } = options;
  const locations = onDevice.map((name) => [name, 'gpu-buffer'] as const);
  return {
    executionProviders: [provider],
    ...(threads ? { intraOpNumThreads: threads } : {}),
    ...(profile ? { enableProfiling: true, profileFilePrefix: profile } : {}),
    // the only provider whose values ONNX Runtime's binding can leave where they are
    ...(provider === 'webgpu' && locations.length > 0
      ? { preferredOutputLocation: Object.fromEntries(locations) }
      : {}),
    interOpNumThreads: 1,
    enableMemPattern: planMemory,
    enableCpuMemArena: !returnMemory,
    // only what is fatal: other errors are thrown, and packages never print
    logSeverityLevel: 4,
    extra: {
      // a GPU gets its weights once; some types of theirs it cannot read, and would have the CPU cast in every run
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

/** True when a session was refused because nodes would run on the CPU. */
export function isCpuRefusal(error: unknown): boolean {
  return /fallback to CPU EP has been explicitly disabled/i.test(messageOf(error));
}

/** What a refused session means: `unavailable` for an absent provider, else `internal`; our own errors stay what they are. */
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
  if (provider !== 'cpu' && /adapter|shared library|not available|webgpu|cuda/i.test(message))
    return new EmacError(
      'unavailable',
      `provider ${provider} is not available here: ${message}; ${hints[provider]}`,
      { cause: error },
    );
  return new EmacError('internal', `ONNX Runtime refused the graph: ${message}`, { cause: error });
}
