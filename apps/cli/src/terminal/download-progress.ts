/** Progress of a download: on a terminal one line that is overwritten, elsewhere a line for every tenth. */
import { say, type Io } from './io.ts';

export interface DownloadProgress {
  /** bytes received and expected; null if unknown */
  readonly bytes: (done: number, total: number | null) => void;
  readonly unpacked: (files: number) => void;
  readonly end: () => void;
}

/** Progress on standard error. */
export function downloadProgress({ stderr, now }: Pick<Io, 'stderr' | 'now'>): DownloadProgress {
  let [shownAt, tenth] = [-Infinity, 0];
  const show = (line: string, isDue: boolean): void => {
    if (stderr.isTerminal ? now() - shownAt < 100 : !isDue) return;
    shownAt = now();
    if (stderr.isTerminal) stderr.write(`\r\x1b[K${line}`.slice(0, stderr.columns + 3));
    else say(stderr, line);
  };
  return {
    bytes(done, total) {
      const share = total ? Math.floor((10 * done) / total) : 0;
      const isDue = share > tenth;
      tenth = share;
      show(
        total ? `${size(done)} of ${size(total)}, ${Math.floor((100 * done) / total)} %` : size(done),
        isDue,
      );
    },
    unpacked: (files) => show(`${files} files unpacked`, files % 1000 === 0),
    end: () => {
      if (stderr.isTerminal) stderr.write('\r\x1b[K');
    },
  };
}

/** Bytes for people, as disks are sold: `36.5 MB`, `15.8 GB`. */
export function size(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = bytes < 1 ? 0 : Math.min(4, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}
