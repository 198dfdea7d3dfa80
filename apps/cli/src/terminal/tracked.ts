/** A listener that also mirrors a run to a tracker, as `--tracker` asks. */
import { join } from 'node:path';
import { readJournal } from '@emac/files';
import type { Listener } from '@emac/opening';
import { layout } from '@emac/runs';
import { tensorboard, wandb, wandbMode, type MetricsLine, type Tracker } from '@emac/report';
import { toldEpisodes } from './episode-words.ts';
import type { Io } from './io.ts';
import { mirrored, type Mirrored } from './mirrored.ts';

export const trackerNames = ['none', 'tensorboard', 'wandb'] as const;
export type TrackerName = (typeof trackerNames)[number];

/** Checked before anything opens. Errors: `usage` if the environment asks for an unsupported mode. */
export function checkTracker(name: TrackerName, { env }: Pick<Io, 'env'>): void {
  if (name === 'wandb') wandbMode(env);
}

/** Begins with the metrics the run has already written. */
export function tracked(
  listener: Listener,
  name: TrackerName,
  { now, env }: Pick<Io, 'now' | 'env'>,
): Mirrored {
  if (name === 'none') return { listener, close: () => Promise.resolve() };
  const open = (run: string): Tracker => {
    const before = readJournal(join(run, layout.metrics)) as MetricsLine[];
    const textsBefore = toldEpisodes(run).map((each) => ({ tag: 'episodes', ...each }));
    const options = { run, before, textsBefore, now: () => new Date(now()) };
    if (name === 'tensorboard') return tensorboard(options);
    const mirror = wandb({ ...options, env });
    if (mirror.upload) listener.note?.(`--tracker wandb: to upload the run, ${mirror.upload}`);
    return mirror;
  };
  return mirrored(listener, { name: `--tracker ${name}`, open });
}
