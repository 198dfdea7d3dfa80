/** A listener that also mirrors a run to a tracker, as `--tracker` asks. */
import { join } from 'node:path';
import { messageOf } from '@emac/core';
import type { Listener } from '@emac/experiment';
import { readJournal } from '@emac/files';
import { layout } from '@emac/runs';
import { tensorboard, type MetricsLine, type Tracker } from '@emac/trackers';

export const trackerNames = ['none', 'tensorboard'] as const;
export type TrackerName = (typeof trackerNames)[number];

/**
 * Curves of every metrics line, and of each episode what policy, expert and environment said. A tracker that fails is told of
 * once and left: the run goes on.
 */
export function tracked(listener: Listener, name: TrackerName, now: () => number): Listener {
  if (name === 'none') return listener;
  let tracker: Tracker | null = null;
  const steps = new Map<number, string[]>();
  const safely = (work: (tracker: Tracker) => void) => {
    try {
      if (tracker) work(tracker);
    } catch (thrown) {
      tracker = null;
      listener.note?.(`--tracker ${name}: ${messageOf(thrown)}; the run goes on without it`);
    }
  };
  return {
    ...listener,
    run(folder) {
      listener.run?.(folder);
      void tracker?.close();
      tracker = null;
      try {
        const before = readJournal(join(folder, layout.metrics)) as MetricsLine[];
        tracker = tensorboard({ run: folder, before, now: () => new Date(now()) });
      } catch (thrown) {
        listener.note?.(`--tracker ${name}: ${messageOf(thrown)}; the run goes on without it`);
      }
    },
    training(event) {
      listener.training?.(event);
      switch (event.kind) {
        case 'episode-start':
          steps.set(event.episode, [event.observation]);
          return;
        case 'step': {
          const { own, label, command, observation } = event;
          const said = [
            own !== null && `policy: ${own}`,
            label !== null && `expert: ${label}`,
            `> ${command}`,
          ];
          steps.get(event.episode)?.push(said.filter((each) => each !== false).join('  \n'), observation);
          return;
        }
        case 'episode-end': {
          const { episode, taskId, won } = event;
          const told = [taskId, ...(steps.get(episode) ?? []), won ? 'won' : 'not won'].join('\n\n');
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
}
