/**
 * Run folders as `kill -9` leaves them, without killing a process: the folder is copied at every failpoint. The kill harness and the worker tests kill real
 * processes.
 */
import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { onFailpoint, type Failpoint } from '@emac/files';

/** `appended:3` is the third time */
export type KilledAt = `${Failpoint}:${number}`;

/** Runs `work`, which makes one run in the folder `out`, and copies it to `<copies>/<place>/` at each place. Errors: for a place never passed. */
export async function copiedAt<Result>(
  places: readonly KilledAt[],
  {
    out,
    copies,
    work,
  }: { readonly out: string; readonly copies: string; readonly work: () => Promise<Result> },
): Promise<Result> {
  const passed = new Map<Failpoint, number>();
  const left = new Set<string>(places);
  onFailpoint((name) => {
    const count = (passed.get(name) ?? 0) + 1;
    passed.set(name, count);
    const place = `${name}:${count}`;
    if (!left.delete(place)) return;
    mkdirSync(copies, { recursive: true });
    cpSync(out, copiedTo(copies, place), {
      recursive: true,
      // the process of this lock would be alive
      filter: (path) => !/\/\.lock-[^/]*$/.test(path),
    });
  });
  try {
    return await work();
  } finally {
    onFailpoint(null);
    if (left.size > 0) throw new Error(`not passed: ${[...left].join(', ')}`);
  }
}

/** The folder of the run killed at a place. */
export function runKilledAt(place: KilledAt, copies: string): string {
  const folder = copiedTo(copies, place);
  const [run] = readdirSync(folder).filter((name) => !name.startsWith('.'));
  return join(folder, run!);
}

function copiedTo(copies: string, place: string): string {
  return join(copies, place.replace(':', '-'));
}
