/** Writes a run's checkpoints and names the best: the one with the lowest loss on the expert's steps. */
import type { CheckpointContent, Run } from '@emac/runs';
import type { MetricsLine } from '@emac/trainer';

export interface CheckpointKeeper {
  keep(content: CheckpointContent): void;
  /** name of the last one */
  last(): string;
}

/** A keeper that looks at what `probes` has got since the checkpoint before. */
export function checkpointKeeper(
  run: Pick<Run, 'checkpoint' | 'best'>,
  probes: readonly MetricsLine[],
): CheckpointKeeper {
  let lowest = Infinity;
  let measured = 0;
  let last = 0;
  return {
    keep(content) {
      run.checkpoint(content);
      last = content.step;
      if (probes.length === measured) return;
      measured = probes.length;
      const loss = Number(probes.at(-1)!['loss']);
      if (loss >= lowest) return;
      lowest = loss;
      run.best(content.step);
    },
    last: () => String(last).padStart(8, '0'),
  };
}
