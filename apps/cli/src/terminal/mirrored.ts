/** A listener that also reports to a tracker. A tracker's failure never stops the run. */
import type { ProgressEvent } from '@emac/algorithms';
import { messageOf } from '@emac/core';
import { warn, type Listener } from '@emac/opening';
import type { Tracker } from '@emac/report';
import { episodeWords, stepWords } from './episode-words.ts';

export interface Mirrored {
  readonly listener: Listener;
  /** ends the run, or all runs: resolves when every tracker is closed, never rejects; nothing opens afterwards */
  readonly close: () => Promise<void>;
}

interface Mirroring {
  /** its name in warnings */
  readonly name: string;
  /** opens a tracker for the run in a folder */
  readonly open: (run: string) => Tracker;
}

/**
 * Reports every metrics line, and the texts of policy, expert and environment in each episode, to a tracker of each run. A failing tracker is reported once
 * and closed.
 */
export function mirrored(listener: Listener, { name, open }: Mirroring): Mirrored {
  let tracker: Tracker | null = null;
  let isOver = false;
  let closings = Promise.resolve();
  const steps = new Map<number, string[]>();
  const failed = (thrown: unknown) =>
    warn(listener, `${name}: ${messageOf(thrown)}; the run continues without it`);
  /** `fault`: receives errors of closing */
  const leave = (fault: (thrown: unknown) => void): void => {
    const left = tracker;
    tracker = null;
    // one after the other; `async` because a tracker may throw at once
    if (left) closings = closings.then(async () => left.close()).catch(fault);
  };
  const safely = (work: (tracker: Tracker) => void): void => {
    try {
      if (tracker) work(tracker);
    } catch (thrown) {
      failed(thrown);
      // its failure is reported already
      leave(() => {});
    }
  };
  const told: Listener = {
    ...listener,
    run(folder) {
      listener.run?.(folder);
      // the previous phase's tracker
      leave(failed);
      steps.clear();
      try {
        if (!isOver) tracker = open(folder);
      } catch (thrown) {
        failed(thrown);
      }
    },
    training(event) {
      listener.training?.(event);
      if (tracker) safely(workOf(event, steps));
    },
    reinforced(line) {
      listener.reinforced?.(line);
      safely((each) => each.metrics(line));
    },
    offline(event) {
      listener.offline?.(event);
      safely((each) => each.metrics(event.line));
    },
  };
  const close = (): Promise<void> => {
    isOver = true;
    leave(failed);
    return closings;
  };
  return { listener: told, close };
}

/** The tracker's work for an event. `steps` collects the texts of episodes in progress. */
function workOf(event: ProgressEvent, steps: Map<number, string[]>): (tracker: Tracker) => void {
  switch (event.kind) {
    case 'episode-start':
      steps.set(event.episode, [event.observation]);
      break;
    case 'step':
      steps.get(event.episode)?.push(stepWords(event));
      break;
    case 'episode-end': {
      const { episode, taskId, won } = event;
      const words = episodeWords(taskId, steps.get(episode) ?? [], won);
      steps.delete(episode);
      return (tracker) => tracker.text('episodes', episode, words);
    }
    case 'update':
    case 'probe':
    case 'round-end':
      return (tracker) => tracker.metrics(event.line);
  }
  return () => {};
}
