/** The log for people: events of a run, and a transcript with pictures of every episode. */
import type { ProgressEvent } from '@emac/algorithms';
import type { Frame } from '@emac/core';
import { encodePng } from '@emac/images';
import type { Run } from '@emac/runs';

/** Writes the events of training into a run folder; episodes under way at once are kept apart by their numbers. */
export function runLog(
  run: Pick<Run, 'frame' | 'transcript' | 'event'>,
): (event: ProgressEvent) => Promise<void> {
  const transcripts = new Map<number, object[]>();
  const pictures = picturesIn(run);
  return async (event) => {
    switch (event.kind) {
      case 'episode-start': {
        const { frames, ...start } = event;
        transcripts.set(event.episode, [{ ...start, ...(await pictures(frames)) }]);
        return;
      }
      case 'step': {
        const { frames, ...step } = event;
        transcripts.get(event.episode)!.push({ ...step, ...(await pictures(frames)) });
        return;
      }
      case 'episode-end': {
        const { trajectory: _told, ...end } = event;
        run.transcript(event.episode, [...transcripts.get(event.episode)!, end]);
        transcripts.delete(event.episode);
        run.event(end);
        return;
      }
      case 'episode-skipped':
      case 'lesson':
      case 'reflection-failed':
        run.event(event);
        return;
      default:
        // updates, probes and rounds are lines of metrics.jsonl
        return;
    }
  };
}

/** Keeps pictures, and names them as a transcript does. */
export function picturesIn(run: Pick<Run, 'frame'>): (frames: readonly Frame[]) => Promise<object> {
  return async (frames) => {
    const names: string[] = [];
    for (const frame of frames) names.push(run.frame(await encodePng(frame), 'png'));
    return names.length === 0 ? {} : names.length === 1 ? { frame: names[0] } : { frames: names };
  };
}
