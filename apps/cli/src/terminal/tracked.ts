/** A listener that also shows its runs in a tracker, as `--tracker` asks. */
import { messageOf } from '@emac/core';
import { warn, type Listener } from '@emac/opening';
import {
  mlflow,
  mlflowAddress,
  tensorboard,
  trackio,
  trackioAddress,
  wandb,
  wandbMode,
  type Tracker,
} from '@emac/report';
import type { Io } from './io.ts';

export const trackerNames = ['none', 'tensorboard', 'trackio', 'mlflow', 'wandb'] as const;
export type TrackerName = (typeof trackerNames)[number];

/** Checked before anything opens. Errors: `usage` if the environment names no address, or asks for an unsupported mode. */
export function checkTracker(name: TrackerName, { env }: Pick<Io, 'env'>): void {
  if (name === 'trackio') trackioAddress(env);
  if (name === 'mlflow') mlflowAddress(env);
  if (name === 'wandb') wandbMode(env);
}

interface Tracked {
  readonly listener: Listener;
  /** ends the tracker of the newest run, and waits until everything was sent; nothing opens afterwards */
  readonly close: () => Promise<void>;
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
    const options = { run, env, now: () => new Date(now()) };
    if (name === 'tensorboard') return tensorboard(options);
    if (name === 'trackio') return trackio(options);
    if (name === 'mlflow') return mlflow(options);
    const mirror = wandb(options);
    if (mirror.upload) listener.note?.(`--tracker wandb: to upload the run, ${mirror.upload}`);
    return mirror;
  };
  const endings: Promise<void>[] = [];
  const report = (thrown: unknown): void =>
    warn(listener, `--tracker ${name}: ${messageOf(thrown)}; the run continues without it`);
  const end = (ended: Tracker): void => {
    const ending = ended.close();
    if (ending) endings.push(ending.catch(report));
  };
  const safely = (work: () => void): void => {
    try {
      work();
    } catch (thrown) {
      const failed = tracker;
      tracker = null;
      report(thrown);
      // it may fail again, which says nothing new
      endings.push((async () => failed?.close())().catch(() => {}));
    }
  };
  const leave = (): void =>
    safely(() => {
      const last = tracker;
      tracker = null;
      last?.follow();
      if (last) end(last);
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
    async close() {
      leave();
      isOver = true;
      await Promise.all(endings);
    },
  };
}
