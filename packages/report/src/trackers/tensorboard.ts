/**
 * TensorBoard: an event file in `tb/` of a run, written by itself, without TensorFlow. It follows the run's own files: the numbers of `metrics.jsonl` and the
 * transcripts of its episodes.
 */
import { closeSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createFolder, isThere, whileWriting } from '@emac/files';
import { layout } from '@emac/runs';
import { readEpisode } from '../pages/read-episode.ts';
import type { EpisodeView, StepView } from '@emac/pages/data';
import { eventRecord, firstRecord, type Summary } from './event-file.ts';
import { followMeasures } from './measures.ts';

/** Shows a run in another program. A failing tracker must not stop the run. */
export interface Tracker {
  /** Reports what the run has written since the last call; nothing once closed. Errors: `io`. */
  follow(): void;
  /** Closing again does nothing; a promise where something is still being sent. Errors: `io`. */
  close(): void | Promise<void>;
}

export interface TensorboardOptions {
  /** the run's folder; existing event files are replaced, so a resumed run has no duplicate curves */
  readonly run: string;
  /** parent folder of `tb`; default: the run's folder */
  readonly folder?: string;
  readonly now: () => Date;
}

/** Opens the file and writes what the run has. Errors: `cannot-create`, `io`. */
export function tensorboard({ run, folder = run, now }: TensorboardOptions): Tracker {
  const place = join(folder, 'tb');
  createFolder(place);
  for (const name of readdirSync(place))
    if (name.startsWith('events.out.tfevents.')) rmSync(join(place, name));
  const seconds = () => now().getTime() / 1000;
  const path = join(place, `events.out.tfevents.${Math.floor(seconds())}.emac`);
  // null once closed: its number may then belong to another file
  let file: number | null = whileWriting(path, () => openSync(path, 'w'));
  const write = (record: Uint8Array): void => {
    if (file !== null) whileWriting(path, () => writeSync(file!, record));
  };
  const add = (step: number, values: readonly Summary[]): void => {
    if (values.length > 0) write(eventRecord({ time: seconds(), step }, values));
  };
  const measures = followMeasures(run);
  const episodes = join(run, layout.episodes);
  const reported = new Set<string>();
  const tracker: Tracker = {
    follow() {
      if (file === null) return;
      for (const { step, numbers } of measures())
        add(
          step,
          Object.entries(numbers).map(([tag, scalar]) => ({ tag, scalar })),
        );
      for (const name of transcriptsIn(episodes)) {
        if (reported.has(name)) continue;
        reported.add(name);
        const text = episodeWords(readEpisode(join(episodes, name)));
        add(Number.parseInt(name, 10), [{ tag: 'episodes', text }]);
      }
    },
    close() {
      const open = file;
      file = null;
      if (open !== null) whileWriting(path, () => closeSync(open));
    },
  };
  try {
    write(firstRecord(seconds()));
    tracker.follow();
    return tracker;
  } catch (thrown) {
    tracker.close();
    throw thrown;
  }
}

function transcriptsIn(folder: string): string[] {
  if (!isThere(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /^\d+\.jsonl$/.test(name))
    .sort();
}

/** As Markdown: task, observations, actions, result. */
function episodeWords({ taskId, observation, shown, won }: EpisodeView): string {
  return [taskId, observation, ...shown.map(stepWords), won ? 'won' : 'not won'].join('\n\n');
}

function stepWords({ own, label, command, observation }: StepView): string {
  const said = [own !== null && `policy: ${own}`, label !== null && `expert: ${label}`, `> ${command}`];
  return [said.filter((each) => each !== false).join('  \n'), observation].join('\n\n');
}
