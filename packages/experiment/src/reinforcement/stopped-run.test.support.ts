/** A run that is stopped and resumed. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { onFailpoint } from '@emac/files';
import { plainHost, type Host } from '@emac/opening';
import type { GivenPpoConfig } from '@emac/settings';
import { expect } from 'vitest';
import { resume } from '../methods.ts';
import { trainPpo } from './train-ppo.ts';

/** Stops after an update, counted from 1, and resumes to the end; returns the folder. `out` has no other run. */
export async function stoppedAndGoneOn(
  given: GivenPpoConfig & { readonly out: string },
  update: number,
  code: Pick<Host, 'environment'> = {},
): Promise<string> {
  const stop = new AbortController();
  let made = 0;
  onFailpoint((name) => {
    if (name === 'updating' && ++made === update) stop.abort();
  });
  try {
    const begun = trainPpo(given, { ...plainHost({ signal: stop.signal }), ...code });
    await expect(begun).rejects.toMatchObject({ code: 'interrupted' });
  } finally {
    onFailpoint(null);
  }
  const stopped = join(given.out, readdirSync(given.out)[0]!);
  await resume(stopped, { ...plainHost(), ...code });
  return stopped;
}
