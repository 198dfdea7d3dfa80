/** Collecting the labels of a person, who here says what the scripted player would. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJournal } from '@emac/files';
import { openKind, plainHost, type Host, type Person } from '@emac/opening';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { collectEnvironment } from './collect-environment.ts';
import { collect } from './collect.ts';

const folder = temporaryFolder();

/** Says what the player of `env` would, `most` times; then nothing. */
async function scriptedPerson(env: string, most = Infinity) {
  const { player } = await openKind({ env, maxSteps: null }, null);
  const asked = { count: 0, pictures: 0 };
  const person: Person = {
    async ask({ task: id, history, admissible, frames }) {
      if (asked.count === most) return null;
      asked.count++;
      asked.pictures += frames.length;
      const request = { task: { id, type: null }, history: history!, memories: [], admissible };
      const label = await player!.label(request);
      return label.kind === 'action' ? label.command : null;
    },
    tell: () => {},
  };
  return { host: { ...plainHost(), person }, asked };
}

const human = { expert: { kind: 'human' } } as const;
const samples = 24;
const inSteps = { samples, seed: 3, validation: 0.25 };

// the scripted player's file is the expectation: the person says what it would
it.each<[string, (out: string, host: Host, by: { expert?: { kind: 'human' } }) => Promise<unknown>]>([
  [
    'MiniGrid-Empty-Random-5x5-v0',
    (out, host, by) =>
      collectEnvironment({ ...inSteps, ...by, env: 'MiniGrid-Empty-Random-5x5-v0', out }, host),
  ],
  [
    'gym_cards/NumberLine-v0',
    (out, host, by) => collectEnvironment({ ...inSteps, ...by, env: 'gym_cards/NumberLine-v0', out }, host),
  ],
  ['alfworld', (out, host, by) => collect({ out, numGames: 3, maxSteps: 8, seed: 3, ...by }, host)],
])('in %s records are those of the scripted player, and no label is asked for twice', async (env, made) => {
  const name = env.replaceAll('/', '-');
  const scripted = join(folder, `${name}-scripted`);
  await made(scripted, plainHost(), {});
  const records = (out: string) =>
    ['train.json', 'val.json']
      .map((file) => join(out, file))
      .filter(existsSync)
      .map((path) => readFileSync(path, 'utf8'));

  const out = join(folder, name);
  const first = await scriptedPerson(env, 7);
  await expect(made(out, first.host, human)).rejects.toMatchObject({
    code: 'interrupted',
    message: expect.stringMatching(
      /: nothing more was said; run the same command again to resume$/,
    ) as string,
  });
  expect(readJournal(join(`${out}.part`, 'labels.jsonl'))).toHaveLength(7);
  const rest = await scriptedPerson(env);
  await made(out, rest.host, human);
  expect(records(out)).toEqual(records(scripted));
  const labels = readJournal(join(out, 'labels.jsonl')).length;
  expect([first.asked.count + rest.asked.count, rest.asked.pictures]).toEqual([labels, rest.asked.count]);
  // of the last episode no more than has room
  expect(labels).toBeLessThanOrEqual(samples);
});

it.each([
  ['tabletop/spatial', 'labels actions in words'],
  ['gym_cards/NumberLine-v0', 'needs somebody who labels'],
])('is refused in %s where nobody can: %s', async (env, rule) => {
  const refused = collectEnvironment({ env, out: join(folder, 'refused'), ...human });
  await expect(refused).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(rule) as string,
  });
});
