/** What happened, for people: events of a run, and a transcript with pictures of every episode. */
import type { Frame } from '@emac/core';
import { encodePng } from '@emac/images';
import type { Run } from '@emac/runs';
import type { ProgressEvent } from '@emac/trainer';

/** Writes the events of training into a run folder. */
export function runLog(run: Run): (event: ProgressEvent) => Promise<void> {
  let lines: object[] = [];
  const picture = async (frame: Frame | undefined): Promise<object> =>
    frame ? { frame: run.frame(await encodePng(frame), 'png') } : {};
  return async (event) => {
    switch (event.kind) {
      case 'episode-start': {
        const { frame, ...start } = event;
        lines = [{ ...start, ...(await picture(frame)) }];
        return;
      }
      case 'step': {
        const { frame, ...step } = event;
        lines.push({ ...step, ...(await picture(frame)) });
        return;
      }
      case 'episode-end': {
        const { history: _told, ...end } = event;
        run.transcript(event.episode, [...lines, end]);
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
