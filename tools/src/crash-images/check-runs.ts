/**
 * Whether the runs of an image can be resumed to the bytes of the undisturbed run: nothing that was promised is lost,
 * and everything up to the resume point is what the undisturbed run had there. What follows is a function of that.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { holdRun, isDone, layout, type HeldRun } from '@emac/runs';
import type { Tree } from './changes.ts';
import { below, type Expectations, type Promised } from './expectations.ts';

/** depend on the day, the process, or are rewritten when a run is resumed */
const ofTheDay =
  /^(run\.json|command\.txt|README\.md|events\.jsonl|\.lock-.*|report\.html|checkpoints\/(latest|best))$/;
const isHidden = (path: string) =>
  path.split('/').some((part) => part.startsWith('.tmp-') || part.startsWith('.replaced-'));

/** Resumes every run in `out`, the image after `changes` changes, as far as its files go; returns what is wrong. */
export function checkRuns(out: string, changes: number, { promises, end }: Expectations): string[] {
  const faults: string[] = [];
  for (const run of new Set(promises.map((each) => each.run))) {
    const owed = promises.filter((each) => each.run === run && each.from <= changes);
    if (!existsSync(join(out, run))) {
      if (owed.length > 0) faults.push(`${run}: is lost, it had been begun`);
    } else
      faults.push(
        ...checkRun(join(out, run), { run, owed, promises, end: below(end, run) }).map(
          (each) => `${run}: ${each}`,
        ),
      );
  }
  return faults;
}

interface Expected {
  readonly run: string;
  readonly owed: readonly Promised[];
  readonly promises: readonly Promised[];
  readonly end: Tree;
}

function checkRun(folder: string, { run, owed, promises, end }: Expected): string[] {
  if (isDone(folder)) return differing(folder, end, { isWhole: true });
  try {
    const held = holdRun(folder);
    return resumed(folder, held, { run, owed, promises, end });
  } catch (thrown) {
    if (!(thrown instanceof EmacError)) throw thrown;
    return [`refuses: ${thrown.message}`];
  }
}

function resumed(folder: string, held: HeldRun, { run, owed, promises, end }: Expected): string[] {
  const step = held.point?.step ?? null;
  const newest = owed.findLast((each) => each.step !== null)?.step ?? null;
  if (newest !== null && (step === null || step < newest)) {
    held.release();
    return [
      `resumes at ${step ?? 'its beginning'}, checkpoint ${newest} had been written${held.damage.map((each) => `; ${each}`).join('')}`,
    ];
  }
  const then = promises.find((each) => each.run === run && each.step === step)?.content;
  const lengths = held.point?.run.files ?? {};
  held.goOn({ versions: held.record.versions, now: () => new Date(0) }).stop('interrupted', 'checked');
  if (step === null) return storedBefore(folder, end);
  if (!then) return [`resumes at ${step}, which the undisturbed run never had`];
  const kept = new Map(
    [...then].filter(
      ([path]) =>
        !path.startsWith('checkpoints/') || path.startsWith(`checkpoints/${String(step).padStart(8, '0')}/`),
    ),
  );
  return differing(folder, kept, { lengths });
}

/** What a run that begins again takes over from the folder. */
function storedBefore(folder: string, end: Tree): string[] {
  const name = layout.evaluationBefore;
  return existsSync(join(folder, name))
    ? differing(folder, new Map([[name, end.get(name) ?? null]]), {})
    : [];
}

interface Compared {
  /** lengths that growing files are cut to */
  readonly lengths?: Readonly<Record<string, { readonly length: number }>>;
  readonly isWhole?: boolean;
}

function differing(folder: string, expected: Tree, { lengths = {}, isWhole = false }: Compared): string[] {
  return [...expected].flatMap(([path, bytes]) => {
    if (bytes === null || ofTheDay.test(path) || isHidden(path)) return [];
    // journals of evaluations that are not over
    if (!isWhole && /^(eval|traces)[^/]*\.jsonl$/.test(path)) return [];
    if (!existsSync(join(folder, path))) return [`${path} is missing`];
    const found = readFileSync(join(folder, path));
    const wanted = lengths[path] ? bytes.subarray(0, lengths[path].length) : bytes;
    // files beside the checkpoint are opened, and cut, by the method
    const isCutLater = lengths[path] !== undefined && path !== layout.metrics;
    // rebuilt from what is before the resume point
    const isRebuilt = !isWhole && /^logging_results\/.*\.log$/.test(path);
    const compared = isCutLater || isRebuilt ? found.subarray(0, wanted.length) : found;
    return withoutTimes(path, compared) === withoutTimes(path, wanted)
      ? []
      : [`${path} differs (${found.length} bytes, ${wanted.length} expected)`];
  });
}

/** A round of `world.log` says how long it took. */
function withoutTimes(path: string, bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('latin1');
  return path.endsWith('world.log') ? text.replace(/^TIME: .*$/gm, 'TIME') : text;
}
