/** TensorBoard: an event file in `tb/` of a run, written by itself, without TensorFlow. */
import { closeSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createFolder, whileWriting } from '@emac/files';
import { eventRecord, firstRecord, type Summary } from './event-file.ts';
import type { MetricsLine } from '../pages/series.ts';
import { scalarsOf, type Tracker } from './tracker.ts';

export interface TensorboardOptions {
  /** the run's folder; existing files are replaced, so a resumed run has no duplicate curves */
  readonly run: string;
  /** lines that the run has written before */
  readonly before: readonly MetricsLine[];
  /** texts written earlier, which are not repeated */
  readonly textsBefore?: readonly TextBefore[];
  /** parent folder of `tb`; default: the run's folder */
  readonly folder?: string;
  readonly now: () => Date;
}

export interface TextBefore {
  readonly tag: string;
  readonly step: number;
  readonly text: string;
}

/** Opens the file and writes existing metrics. Errors: `cannot-create`, `io`. */
export function tensorboard(options: TensorboardOptions): Tracker {
  const { run, before, textsBefore = [], now } = options;
  const folder = join(options.folder ?? run, 'tb');
  createFolder(folder);
  for (const name of readdirSync(folder))
    if (name.startsWith('events.out.tfevents.')) rmSync(join(folder, name));
  const seconds = () => now().getTime() / 1000;
  const path = join(folder, `events.out.tfevents.${Math.floor(seconds())}.emac`);
  // null once closed: its number may then belong to another file
  let file: number | null = whileWriting(path, () => openSync(path, 'w'));
  const write = (record: Uint8Array) => {
    const open = file;
    if (open !== null) whileWriting(path, () => writeSync(open, record));
  };
  const close = () => {
    const open = file;
    file = null;
    if (open !== null) whileWriting(path, () => closeSync(open));
  };
  const counts = new Map<string, number>();
  const texts = new Set<string>();
  const add = (step: number, values: readonly Summary[]) => {
    if (values.length > 0) write(eventRecord({ time: seconds(), step }, values));
  };
  const tracker: Tracker = {
    metrics(line) {
      const count = (counts.get(line.kind) ?? 0) + 1;
      counts.set(line.kind, count);
      const { step, scalars } = scalarsOf(line, count);
      add(
        step,
        scalars.map(([tag, scalar]) => ({ tag, scalar })),
      );
    },
    text(tag, step, text) {
      const told = `${tag} ${step}`;
      if (!texts.has(told)) add(step, [{ tag, text }]);
      texts.add(told);
    },
    // a fault comes as a rejection
    close: async () => close(),
  };
  try {
    write(firstRecord(seconds()));
    for (const line of before) tracker.metrics(line);
    for (const { tag, step, text } of textsBefore) tracker.text(tag, step, text);
    return tracker;
  } catch (thrown) {
    close();
    throw thrown;
  }
}
