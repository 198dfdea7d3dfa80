/** A dataset of scripted play: its steps can be replayed, and it records its settings. */
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeGymCards } from '@emac/gym-cards';
import { decodeImage } from '@emac/images';
import { miniGrid, offeredActions, solve } from '@emac/minigrid';
import { plainHost } from '@emac/opening';
import { describe, expect, it } from 'vitest';
import { openDataset, type PublishedRecord } from '../dataset/offline-dataset.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { collectEnvironment } from './collect-environment.ts';

const folder = temporaryFolder();
const recordsIn = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as PublishedRecord[];
const actionOf = ({ text_output }: PublishedRecord) => (JSON.parse(text_output) as { action: string }).action;
const seedOf = ({ game_id }: PublishedRecord) => BigInt(game_id!.split('/').at(-1)!);

describe('a dataset of scripted play', () => {
  it("holds the policy's prompts and the best player's answers; replayed, they win", async () => {
    const out = join(folder, 'won');
    const { dataset, validation } = await collectEnvironment({
      env: 'gym_cards/EZPoints',
      out,
      samples: 60,
      randomActions: 0,
      validation: 0,
    });
    expect(validation).toBeNull();
    const game = makeGymCards('gym_cards/EZPoints-v0');
    let playing = '';
    let [won, lost] = [0, 0];
    for (const record of recordsIn(dataset)) {
      if (playing !== record.game_id) game.reset(seedOf(record));
      playing = record.game_id!;
      expect(seedOf(record) % 2n).toBe(0n);
      expect(record).toMatchObject({ text_input: game.prompt(), verbatim: true, task_type: game.id });
      const { data } = await decodeImage(readFileSync(join(out, record.image!)));
      expect(Buffer.from(data).equals(Buffer.from(game.frame().data))).toBe(true);
      const { reward, terminated } = game.step(game.actions.indexOf(actionOf(record)));
      if (terminated && reward > 0) won++;
      if (reward < 0) lost++;
    }
    // an episode takes four steps: number, sign, number, =
    expect([won, lost]).toEqual([15, 0]);
    expect(readdirSync(join(out, 'images'))).toHaveLength(60);
    openDataset(dataset, { flag: '--data', images: null }).close();
  });

  it('has the requested share of labels with another action, without a conclusion', async () => {
    const { dataset, noisyLabels } = await collectEnvironment({
      env: 'MiniGrid-DoorKey-5x5',
      out: join(folder, 'noisy'),
      samples: 200,
      labelNoise: 0.4,
      validation: 0,
    });
    const level = miniGrid('MiniGrid-DoorKey-5x5-v0');
    const offered = offeredActions(level.id).map((action) => level.actions[action]!);
    const careless = recordsIn(dataset).filter(({ text_output }) => !text_output.includes('; '));
    expect(careless).toHaveLength(noisyLabels);
    // 200 draws of 0.4: 80 ± 4 · 6.9
    expect(noisyLabels).toBeGreaterThan(52);
    expect(noisyLabels).toBeLessThan(108);
    expect(recordsIn(dataset).every((record) => offered.includes(actionOf(record)))).toBe(true);
    // the first steps of episodes can be checked again
    const first = careless.filter((record, place) => careless[place - 1]?.game_id !== record.game_id);
    for (const record of first.filter(({ image }) => image === 'images/0.png')) {
      level.reset(seedOf(record));
      expect(actionOf(record)).not.toBe(level.actions[solve(level)![0]!]);
    }
  });

  it('keeps whole episodes for validation, and has the same bytes for the same seed', async () => {
    const given = { env: 'gym_cards/NumberLine', samples: 120, randomActions: 0.3, labelNoise: 0.2, seed: 3 };
    const [one, other] = [join(folder, 'one'), join(folder, 'other')];
    const { validation, dataset, samples } = await collectEnvironment({ ...given, out: one });
    await collectEnvironment({ ...given, out: other });
    const names = readdirSync(one, { recursive: true }).map(String).sort();
    expect(names).toContain('images/119.png');
    for (const name of names.filter((each) => each.includes('.')))
      expect(readFileSync(join(other, name)).equals(readFileSync(join(one, name)))).toBe(true);
    const [training, held] = [recordsIn(dataset), recordsIn(validation!)];
    expect(samples).toEqual({ training: training.length, validation: held.length });
    const episodes = new Set(training.map(({ game_id }) => game_id));
    expect(held.length).toBeGreaterThan(0);
    expect(held.some(({ game_id }) => episodes.has(game_id))).toBe(false);
  });

  it('leaves no folder after an interruption, and never writes into an existing one', async () => {
    const out = join(folder, 'stopped');
    const stop = new AbortController();
    const listener = { advance: () => stop.abort() };
    const given = { env: 'gym_cards/Blackjack', out, samples: 20 };
    await expect(
      collectEnvironment(given, plainHost({ signal: stop.signal, listener })),
    ).rejects.toMatchObject({ code: 'interrupted' });
    expect(existsSync(out)).toBe(false);
    await collectEnvironment(given);
    await expect(collectEnvironment(given)).rejects.toMatchObject({ code: 'cannot-create' });
  });

  it('is collected by one process at a time, and names it', async () => {
    const out = join(folder, 'shared');
    const given = { env: 'gym_cards/Blackjack', out, samples: 20 };
    const claim = join(`${out}.part`, '.lock-1-1');
    mkdirSync(`${out}.part`);
    writeFileSync(claim, JSON.stringify({ host: 'node-7', space: 'other', pid: 1, start: '' }));
    await expect(collectEnvironment(given)).rejects.toMatchObject({
      code: 'cannot-create',
      message: expect.stringContaining('process 1 on node-7 is using this collection') as string,
    });
    expect(readdirSync(`${out}.part`)).toEqual(['.lock-1-1']);
    // its claim is no longer renewed
    utimesSync(claim, new Date(0), new Date(0));
    await collectEnvironment(given);
    expect(readdirSync(out).sort()).toEqual(['collection.json', 'images', 'train.json', 'val.json']);
  });

  it('rejects settings that an environment does not have', async () => {
    const given = { out: join(folder, 'none'), samples: 1 };
    const robot = { env: 'tabletop/spatial' };
    for (const [asked, message] of [
      [{ env: 'MiniGrid-Empty-5x5', actionOnly: true }, '--action-only-prompt: is for gym_cards/…'],
      [{ env: 'gym_cards/EZPoints', actionSteps: 8 }, '--action-steps: is for tabletop'],
      [{ ...robot, palette: 'legacy-wrapped' as const }, '--palette'],
      [{ ...robot, expert: { kind: 'openai' as const } }, 'labels actions in words'],
    ] as const)
      await expect(collectEnvironment({ ...given, ...asked })).rejects.toThrow(message);
    await expect(collectEnvironment({ ...given, env: 'gym_cards/Whist' })).rejects.toMatchObject({
      code: 'usage',
    });
  });
});
