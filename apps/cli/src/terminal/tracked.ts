/** A listener that also shows its runs in a tracker, as `--tracker` asks. */
import { messageOf } from '@emac/core';
import { warn, type Listener } from '@emac/opening';
import { tensorboard, wandb, wandbMode, type Tracker } from '@emac/report';
import type { Io } from './io.ts';

export const trackerNames = ['none', 'tensorboard', 'wandb'] as const;
export type TrackerName = (typeof trackerNames)[number];

/** Checked before anything opens. Errors: `usage` if the environment asks for an unsupported mode. */
export function checkTracker(name: TrackerName, { env }: Pick<Io, 'env'>): void {
  if (name === 'wandb') wandbMode(env);
}

interface Tracked {
  readonly listener: Listener;
  /** ends the tracker of the newest run; nothing opens afterwards */
  readonly close: () => void;
}

/** Each run has its tracker, which follows the run's files. One that fails is reported once, and the run continues without it. */
export function tracked(
  listener: Listener,
  name: TrackerName,
  { now, env }: Pick<Io, 'now' | 'env'>,
): Tracked {
  let tracker: Tracker | null = null;
  let isOver = name === 'none';
  const open = (run: string): Tracker => {
    const options = { run, now: () => new Date(now()) };
    if (name === 'tensorboard') return tensorboard(options);
    const mirror = wandb({ ...options, env });
    if (mirror.upload) listener.note?.(`--tracker wandb: to upload the run, ${mirror.upload}`);
    return mirror;
  };
  const safely = (work: () => void): void => {
    try {
      work();
    } catch (thrown) {
      const failed = tracker;
      tracker = null;
      warn(listener, `--tracker ${name}: ${messageOf(thrown)}; the run continues without it`);
      safely(() => failed?.close());
    }
  };
  const leave = (): void =>
    safely(() => {
      tracker?.follow();
      tracker?.close();
      tracker = null;
    });
  const follow = (): void => safely(() => tracker?.follow());
  return {
    listener: {
      ...listener,
      run(folder) {
        listener.run?.(folder);
        leave();
        if (!isOver) safely(() => (tracker = open(folder)));
      },
      training(event) {
        listener.training?.(event);
        if (event.kind !== 'step') follow();
      },
      reinforced(line) {
        listener.reinforced?.(line);
        follow();
      },
      offline(event) {
        listener.offline?.(event);
        follow();
      },
    },
    close() {
      leave();
      isOver = true;
    },
  };
}
