/** A policy folder given as a path relative to the run's start directory. */
import { cpSync, mkdirSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { onFailpoint } from '@emac/files';
import { plainHost } from '@emac/opening';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { resume } from '../methods.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { evaluatedSteps } from '../evaluation/evaluated-steps.test.support.ts';
import { small } from './language-steps.test.support.ts';
import { contentOf } from './run-content.test.support.ts';
import { trainPpo } from './train-ppo.ts';

const folder = realpathSync(temporaryFolder());
afterEach(() => onFailpoint(null));

it('is found from another directory, by a run that resumes to the same bytes and by an evaluation', async () => {
  const [here, elsewhere] = [join(folder, 'here'), join(folder, 'elsewhere')];
  cpSync(small.policy!, join(here, 'models', 'small'), { recursive: true });
  mkdirSync(elsewhere);
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  process.chdir(here);
  const relative = { ...small, policy: 'models/small' };
  const whole = await trainPpo({ ...relative, out: join(folder, 'whole') });
  const stop = new AbortController();
  onFailpoint((name) => {
    if (name === 'updating') stop.abort();
  });
  const out = join(folder, 'stopped');
  const begun = trainPpo({ ...relative, out }, plainHost({ signal: stop.signal }));
  await expect(begun).rejects.toMatchObject({ code: 'interrupted' });
  onFailpoint(null);
  process.chdir(elsewhere);
  const stopped = join(out, readdirSync(out)[0]!);
  await resume(stopped);
  expect(contentOf(stopped)).toEqual(contentOf(whole.folder));
  const asked = { env: small.env, numGames: 1 };
  const of = async (ckpt: string, policy: string | null = null) =>
    (await evaluatedSteps({ ...asked, ckpt, model: { path: policy } })).result;
  const found = await of(stopped);
  expect(found.games).toHaveLength(1);
  // a checkpoint copied out of its run needs the model's path
  const copy = join(folder, 'copy');
  const [newest] = readdirSync(join(stopped, 'checkpoints'))
    .filter((name) => /^\d+$/.test(name))
    .sort()
    .reverse();
  cpSync(join(stopped, 'checkpoints', newest!), copy, { recursive: true });
  await expect(of(copy)).rejects.toMatchObject({ code: 'missing' });
  expect((await of(copy, join(here, 'models', 'small'))).games).toEqual(found.games);
});
