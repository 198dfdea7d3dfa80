/** Datasets of environments with actions in words, played by their own player. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadEnvironmentModule, loadExpertModule, plainHost } from '@emac/opening';
import { describe, expect, it } from 'vitest';
import type { PublishedRecord } from '../dataset/offline-dataset.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { collectEnvironment } from './collect-environment.ts';

const folder = temporaryFolder();

/** Two steps each way; each observation names the next command. */
const ways = (expert: string) => `
export default {
  tasks: { training: ['left right', 'right left'], heldOut: ['left left'] },
  actions: ['left', 'right'],
  begin(task) {
    const way = task.split(' ');
    let place = 0;
    return {
      observation: 'Go ' + way[0] + '.',
      step(action) {
        const reward = action === way[place++] ? 1 : 0;
        return { observation: 'Go ' + way[place] + '.', reward, done: place === way.length };
      },
    };
  },
  ${expert}
};
`;
const player = 'expert: (task, { turns }) => task.split(" ")[turns.length],';

async function module(name: string, body: string) {
  const path = join(folder, `${name}.mjs`);
  writeFileSync(path, body);
  return { env: path, host: { ...plainHost(), environment: await loadEnvironmentModule(path) } };
}

const recordsIn = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as PublishedRecord[];

describe('a dataset of a custom module', () => {
  it("has its player's commands after histories, and repeats a task only after all others", async () => {
    const { env, host } = await module('ways', ways(player));
    const out = join(folder, 'ways');
    const made = await collectEnvironment({ env, out, samples: 6, randomActions: 0, validation: 0 }, host);
    expect(made).toMatchObject({ samples: { training: 6, validation: 0 }, episodes: 3, noisyLabels: 0 });
    const records = recordsIn(made.dataset);
    const [first, second] = [records[0]!.game_id!, records[2]!.game_id!];
    expect(new Set([first, second])).toEqual(new Set(['left right', 'right left']));
    expect(records.map(({ game_id }) => game_id)).toEqual([first, first, second, second, first, first]);
    const way = first.split(' ');
    expect(records.slice(0, 2)).toMatchObject([
      { text_input: `Go ${way[0]}.\n>`, text_output: way[0], image: 'images/0.png' },
      { text_input: `Go ${way[0]}.\n> ${way[0]}\nGo ${way[1]}.\n>`, text_output: way[1] },
    ]);
    for (const record of records) expect(record).not.toHaveProperty('verbatim');
    const facts = readFileSync(join(out, 'collection.json'), 'utf8');
    expect(facts).toContain('"env": "./ways.mjs"');
    expect(facts).not.toContain(folder);
  });

  it('holds out a task with all its episodes, and spoils labels on request', async () => {
    const { env, host } = await module('shared', ways(player));
    const out = join(folder, 'shared');
    const given = { env, out, samples: 40, randomActions: 1, labelNoise: 1, validation: 0.5 };
    const made = await collectEnvironment(given, host);
    const [training, heldOut] = [made.dataset, made.validation!].map(recordsIn);
    const tasksOf = (records: readonly PublishedRecord[]) => new Set(records.map(({ game_id }) => game_id));
    expect([tasksOf(training!).size, tasksOf(heldOut!).size]).toEqual([1, 1]);
    expect(tasksOf(training!)).not.toEqual(tasksOf(heldOut!));
    expect(made.noisyLabels).toBe(40);
    for (const { game_id, text_input, text_output } of [...training!, ...heldOut!]) {
      const best = game_id!.split(' ')[text_input.split('\n> ').length - 1];
      expect(text_output).toBe(best === 'left' ? 'right' : 'left');
    }
  });

  it('is labelled by a file where it has no player; the file’s content is part of its settings', async () => {
    const { env, host } = await module('labelled', ways(''));
    const path = join(folder, 'expert.mjs');
    // what each observation names
    writeFileSync(
      path,
      'export const label = ({ history: { initial, turns } }) => (turns.at(-1)?.observation ?? initial).match(/Go (.*)\\./)[1];',
    );
    const out = join(folder, 'labelled');
    const given = { env, out, samples: 4, randomActions: 0, validation: 0 };
    const expert = { kind: 'module', module: path } as const;
    const withFile = { ...host, expert: await loadExpertModule(path) };
    const { dataset } = await collectEnvironment({ ...given, expert }, withFile);
    for (const { game_id, text_input, text_output } of recordsIn(dataset))
      expect(text_output).toBe(game_id!.split(' ')[text_input.split('\n> ').length - 1]);
    const facts = readFileSync(join(out, 'collection.json'), 'utf8');
    expect(facts).toContain(withFile.expert.sha256);
    expect(facts).not.toContain(folder);
    await expect(collectEnvironment({ ...given, expert, out: `${out}-again` }, host)).rejects.toThrow(
      /is code, which runs only if the command line names it/,
    );
  });

  it('of numbered actions warns of labels that are no action', async () => {
    const path = join(folder, 'half.mjs');
    // every second label is no action
    writeFileSync(
      path,
      `export const label = ({ admissible, history: { turns } }) => turns.length === 1 ? 'up' : admissible[0];`,
    );
    const warnings: string[] = [];
    const listener = { warning: (line: string) => void warnings.push(line) };
    const host = { ...plainHost(), listener, expert: await loadExpertModule(path) };
    const expert = { kind: 'module', module: path } as const;
    const given = { env: 'gym_cards/NumberLine-v0', samples: 3, randomActions: 0, validation: 0, expert };
    await collectEnvironment({ ...given, out: join(folder, 'half') }, host);
    // an episode a sample, and the last one is cut after its sample
    expect(warnings).toEqual([
      expect.stringMatching(/^2 episodes ended at a label that is no command, first: .*up/),
    ]);
  });

  it.each<[string, string, object, RegExp]>([
    ['without a player', '', {}, /^\.\/without-a-player\.mjs: has no scripted player/],
    ['with a palette', player, { palette: 'legacy-wrapped' }, /^--palette: is for MiniGrid/],
    ['of a language model', player, { expert: { kind: 'openai' } }, /^--expert: openai labels environments/],
  ])('is rejected in a sentence: %s', async (what, expert, more, message) => {
    const { env, host } = await module(what.replaceAll(' ', '-'), ways(expert));
    const out = join(folder, what);
    await expect(collectEnvironment({ env, out, ...more }, host)).rejects.toThrow(message);
    expect(existsSync(out)).toBe(false);
  });
});

describe('a dataset of the Lewis game', () => {
  it.each(['lewis/listener', 'lewis/speaker'])('of %s has correct verbatim texts', async (env) => {
    const out = join(folder, env.replace('/', '-'));
    const made = await collectEnvironment({ env, out, samples: 3, validation: 0 });
    const records = recordsIn(made.dataset);
    expect(new Set(records.map(({ game_id }) => game_id)).size).toBe(3);
    for (const { text_output, verbatim, task_type } of records) {
      expect({ verbatim, task_type }).toEqual({ verbatim: true, task_type: env });
      expect(text_output).toMatch(env === 'lewis/listener' ? /"Answer": "(yes|no)"/ : /\w/);
    }
    expect(readFileSync(join(out, 'images/0.png')).length).toBeGreaterThan(100);
  });
});
