/** What a run computes on: the processor, or a GPU that has been shown to compute alike. */
import { useEffect } from 'preact/hooks';
import type { GpuState } from './trainer-state.ts';

type Others = Readonly<Record<string, string>>;

const flag = 'provider';

/** Whether a setting is chosen elsewhere than here. */
export const isElsewhere = (offered: { readonly flag: string }): boolean => offered.flag !== flag;

/** The settings of a choice that are chosen elsewhere. */
export function withoutComputing({ [flag]: _, ...others }: Others): Others {
  return others;
}

/** `others` as the settings of a choice that computes where `before` does. */
export function computingAs(before: Others, others: Others): Others {
  const given = before[flag];
  return given === undefined ? others : { ...others, [flag]: given };
}

interface ComputingProps {
  readonly others: Others;
  readonly gpu: GpuState;
  readonly check: () => void;
  readonly change: (others: Others) => void;
}

export function Computing({ others, gpu, check, change }: ComputingProps) {
  const isOnGpu = others[flag] === 'webgpu';
  const fault = gpu === null || gpu === 'checking' ? null : gpu.fault;
  const onProcessor = (): void => change(withoutComputing(others));
  useEffect(() => {
    if (isOnGpu && fault !== null) onProcessor();
  }, [isOnGpu, fault]);
  return (
    <label>
      Computes on
      <select
        id="computing"
        value={isOnGpu ? 'webgpu' : 'cpu'}
        onChange={({ currentTarget }) => {
          if (currentTarget.value === 'cpu') return onProcessor();
          if (gpu === null) check();
          change({ ...others, [flag]: 'webgpu' });
        }}
      >
        <option value="cpu">processor</option>
        <option value="webgpu" disabled={fault !== null}>
          GPU (WebGPU)
        </option>
      </select>
      {gpu === 'checking' && <span class="soft">comparing the GPU with the processor …</span>}
      {fault !== null && <span class="soft" id="gpu-fault">{`not the GPU: ${fault}`}</span>}
    </label>
  );
}
