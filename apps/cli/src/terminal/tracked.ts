/** A listener that also mirrors a run to a tracker, as `--tracker` asks. */
import { join } from 'node:path';
import { messageOf } from '@emac/core';
import type { Listener } from '@emac/experiment';
import { readJournal } from '@emac/files';
import { layout } from '@emac/runs';
import { tensorboard, wandb, type MetricsLine, type Tracker } from '@emac/trackers';
import { episodeWords, stepWords, toldEpisodes } from './episode-words.ts';
import type { Io } from './io.ts';

export const trackerNames = ['none', 'tensorboard', 'wandb'] as const;
export type TrackerName = (typeof trackerNames)[number];

export interface Tracked {
  readonly listener: Listener;
  /** the run, or all runs, are over */
  readonly close: () => Promise<void>;
}

/**
 * Curves of every metrics line, and of each episode what policy, expert and environment said. A tracker that fails is told of
 * once and left: the run goes on.
 */
export function tracked(
  listener: Listener,
  name: TrackerName,
  { now, env }: Pick<Io, 'now' | 'env'>,
): Tracked {
  if (name === 'none') return { listener, close: () => Promise.resolve() };
  let tracker: Tracker | null = null;
  const steps = new Map<number, string[]>();
  const failed = (thrown: unknown) => {
    tracker = null;
    listener.note?.(`--tracker ${name}: ${messageOf(thrown)}; the run goes on without it`);
  };
  const safely = (work: (tracker: Tracker) => void) => {
    try {
      if (tracker) work(tracker);
    } catch (thrown) {
      failed(thrown);
    }
  };
  const close = async () => {
    const open = tracker;
    tracker = null;
    await open?.close().catch(failed);
  };
  const opened = (run: string): Tracker => {
    const before = readJournal(join(run, layout.metrics)) as MetricsLine[];
    const textsBefore = toldEpisodes(run).map((each) => ({ tag: 'episodes', ...each }));
    const options = { run, before, textsBefore, now: () => new Date(now()) };
    if (name === 'tensorboard') return tensorboard(options);
    const mirror = wandb({ ...options, env });
    if (mirror.upload) listener.note?.(`--tracker wandb: to upload the run, ${mirror.upload}`);
    return mirror;
  };
  const mirrored: Listener = {
    ...listener,
    run(folder) {
      listener.run?.(folder);
      // of the phase before
      void close();
      steps.clear();
      try {
        tracker = opened(folder);
      } catch (thrown) {
        failed(thrown);
      }
    },
    training(event) {
      listener.training?.(event);
      switch (event.kind) {
        case 'episode-start':
          steps.set(event.episode, [event.observation]);
          return;
        case 'step':
          steps.get(event.episode)?.push(stepWords(event));
          return;
        case 'episode-end': {
          const { episode, taskId, won } = event;
          const told = episodeWords(taskId, steps.get(episode) ?? [], won);
          steps.delete(episode);
          safely((each) => each.text('episodes', episode, told));
          return;
        }
        case 'update':
        case 'probe':
        case 'round-end':
          safely((each) => each.metrics(event.line));
      }
    },
    offline(event) {
      listener.offline?.(event);
      safely((each) => each.metrics(event.line));
    },
  };
  return { listener: mirrored, close };
}
