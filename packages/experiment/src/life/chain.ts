/** Chains of runs, each started from the one before: phases, or roles in turns. */
import { readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { EmacError } from '@emac/core';
import { isThere } from '@emac/files';
import { plainHost, warn, withWorlds, type Host } from '@emac/opening';
import { layout, readRecord } from '@emac/runs';
import type { Finished, Recipe, Types } from './recipe.ts';
import { beginRun, openRun, resumeRun, type OpenedRun, type ResumeOptions } from './run.ts';

/** A host that is called after every run, before the next one begins. */
export interface Finishing<T extends Types> {
  readonly onFinished?: ((run: Finished<T>) => void) | undefined;
  /** of a dry run: called in place of each run, which then makes no folder and is not returned */
  readonly rehearse?: (open: () => Promise<OpenedRun>) => Promise<void>;
}

/** A new run and the runs after it. Errors: those of `beginRun`. */
export async function beginChain<T extends Types>(
  recipe: Recipe<T>,
  asked: T['asked'],
  host: Host & Finishing<T> = plainHost(),
): Promise<Finished<T>[]> {
  if (host.rehearse) {
    for (let each: T['asked'] | null = asked; each !== null; each = recipe.next(each, null)) {
      const own: T['asked'] = each;
      await host.rehearse(() => openRun(recipe, own, host));
    }
    return [];
  }
  const { kept, close } = withWorlds(host);
  try {
    const first = await beginRun(recipe, asked, kept);
    kept.onFinished?.(first);
    return [first, ...(await followers(recipe, { asked, folder: first.folder }, kept))];
  } finally {
    await close();
  }
}

/**
 * Resumes a run, then the runs after it; already finished ones are neither repeated nor returned. Errors: those of
 * `resumeRun`.
 */
export async function resumeChain<T extends Types>(
  recipe: Recipe<T>,
  folder: string,
  options: ResumeOptions<T['asked']> & Finishing<T> = plainHost(),
): Promise<Finished<T>[]> {
  const { kept, close } = withWorlds(options);
  try {
    const run = await resumeRun(recipe, folder, kept);
    if (run) kept.onFinished?.(run);
    const there = resolve(folder);
    const later = await followers(recipe, { asked: askedOf(recipe, there), folder: there }, kept);
    return run ? [run, ...later] : later;
  } finally {
    await close();
  }
}

interface Link<T extends Types> {
  readonly asked: T['asked'];
  readonly folder: string;
}

/** Resumes a follower that was started earlier. */
async function followers<T extends Types>(
  recipe: Recipe<T>,
  { asked, folder }: Link<T>,
  options: ResumeOptions<T['asked']> & Finishing<T>,
): Promise<Finished<T>[]> {
  const next = recipe.next(asked, folder);
  if (next === null) return [];
  const { changed = (same) => same, onFinished } = options;
  const begun = followerOf(folder, (damage) => warn(options.listener, damage));
  const run =
    begun === null
      ? await beginRun(recipe, changed(next), { ...options, previous: basename(resolve(folder)) })
      : await resumeRun(recipe, begun, options);
  if (run) onFinished?.(run);
  const link =
    begun === null ? { asked: next, folder: run!.folder } : { asked: askedOf(recipe, begun), folder: begun };
  const later = await followers(recipe, link, options);
  return run ? [run, ...later] : later;
}

function askedOf<T extends Types>(recipe: Recipe<T>, folder: string): T['asked'] {
  return recipe.read(folder, readRecord(folder).workingDirectory);
}

/** The run after `first`, which may be given as `.`. Unreadable records beside it are skipped and reported. */
function followerOf(first: string, passedOver: (damage: string) => void): string | null {
  const [out, own] = [dirname(resolve(first)), basename(resolve(first))];
  const follows = (name: string): boolean => {
    if (name === own || name.startsWith('.') || !isThere(join(out, name, layout.run))) return false;
    try {
      return readRecord(join(out, name)).previous === own;
    } catch (thrown) {
      if (!(thrown instanceof EmacError)) throw thrown;
      passedOver(`skipped while looking for the run after ${own}: ${thrown.message}`);
      return false;
    }
  };
  const name = readdirSync(out).sort().find(follows);
  return name === undefined ? null : join(out, name);
}
