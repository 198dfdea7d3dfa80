/**
 * Writes a run's checkpoints: the buffer's file first, then the training's and the teacher's state. The best has the
 * lowest loss on the expert's steps.
 */
import { progressOf, type MetricsLine, type StoredCheckpoint } from '@emac/algorithms';
import type { BufferFile } from '@emac/buffers';
import type { ReplyPosition } from '@emac/expert';
import type { CheckpointContent, Run } from '@emac/runs';

export interface Kept {
  readonly run: Pick<Run, 'checkpoint'>;
  readonly content: (step: number, moment: StoredCheckpoint, replies: ReplyPosition) => CheckpointContent;
  readonly buffer: Pick<BufferFile, 'save'>;
  /** probe measurements, a growing list */
  readonly probes: readonly MetricsLine[];
  /** replies of the language model that the state of an interruption, or of now, has used */
  readonly replies: (isExtra: boolean) => ReplyPosition;
}

/** Reads the probe measurements added since the last checkpoint. */
export function checkpointKeeper({ run, content, buffer, probes, replies }: Kept) {
  let measured = probes.length;
  return (moment: StoredCheckpoint): void => {
    const { isExtra } = moment;
    const loss = probes.length > measured ? Number(probes.at(-1)!['loss']) : null;
    buffer.save();
    run.checkpoint(content(progressOf(moment.state), moment, replies(isExtra)), { loss, isExtra });
    measured = probes.length;
  };
}
