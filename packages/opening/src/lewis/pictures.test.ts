/** Sources of pictures and games: the built-in world, folders, catalogues. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '@emac/core';
import { encodePng } from '@emac/images';
import { drawView } from '@emac/lewis';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { heldOutGames, openLewisWorld, trainingGames } from './pictures.ts';

const folder = temporaryFolder();
const split = { splitSeed: 23, trainingShare: 0.65 };

/** A PNG of one colour. */
function picture(red: number): Promise<Uint8Array> {
  return encodePng({
    width: 2,
    height: 2,
    data: new Uint8Array(12).map((_, place) => (place % 3 ? 0 : red)),
  });
}

describe('the built-in world', async () => {
  const world = await openLewisWorld({ pictures: 'drawn', ...split });
  const game = { pictures: 'drawn', candidates: 3, ...split };

  it('draws the named view', async () => {
    const view = 'drawn/ball/red-plain-no/0';
    expect(await world.pictures(view)).toEqual(drawView(view));
    await expect(world.pictures('/etc/hostname')).rejects.toMatchObject({ code: 'data' });
  });

  it('keeps concepts and views of the games it is judged by from training', () => {
    const trained = trainingGames(world, game, Random.fromSeed(0));
    // 282 concepts in 5 views
    expect(trained).toHaveLength(1410);
    const held = heldOutGames(world, { candidates: 3, games: 1000 }, Random.fromSeed(0));
    // 150 concepts in 3 views
    expect(held).toHaveLength(450);
    const views = (games: typeof held) =>
      new Set(games.flatMap(({ image, candidates }) => [image, ...candidates]));
    const concept = (view: string) => view.slice(0, view.lastIndexOf('/'));
    const known = new Set([...views(trained)].map(concept));
    for (const view of views(held)) {
      expect(known.has(concept(view))).toBe(false);
      expect(Number(view.slice(view.lastIndexOf('/') + 1))).toBeGreaterThanOrEqual(5);
    }
    expect(heldOutGames(world, { candidates: 3, games: 7 }, Random.fromSeed(0))).toEqual(held.slice(0, 7));
  });
});

describe('pictures of your own', () => {
  it('are found in folders, and read below the folder alone', async () => {
    const own = join(folder, 'own');
    for (const [thing, count] of [
      ['mug', 3],
      ['pan', 2],
    ] as const) {
      mkdirSync(join(own, 'kitchen', thing), { recursive: true });
      for (let view = 0; view < count; view++)
        writeFileSync(join(own, 'kitchen', thing, `${view}.png`), await picture(10 * view));
    }
    writeFileSync(join(folder, 'secret.png'), await picture(1));
    symlinkSync(join(folder, 'secret.png'), join(own, 'kitchen', 'mug', 'z.png'));
    const world = await openLewisWorld({ pictures: own, ...split });
    const names = [...world.training, ...world.heldOut].map(({ category, name }) => `${category}/${name}`);
    expect(names.sort()).toEqual(['kitchen/mug', 'kitchen/pan']);
    expect((await world.pictures('kitchen/mug/2.png')).data[0]).toBe(20);
    for (const name of ['kitchen/mug/z.png', '../secret.png', 'kitchen/none.png'])
      await expect(world.pictures(name)).rejects.toMatchObject({ code: 'data' });
  });

  it('are read from a catalogue in the published layout', async () => {
    const path = join(folder, 'catalogue.json');
    writeFileSync(join(folder, 'a.png'), await picture(7));
    writeFileSync(path, JSON.stringify({ cup: { mine: { train: ['a.png'], test: ['b.png'] } } }));
    const world = await openLewisWorld({ pictures: path, ...split });
    expect(world.training).toMatchObject([{ category: 'cup', name: 'mine', train: ['a.png'] }]);
    expect((await world.pictures('a.png')).data[0]).toBe(7);
  });

  it('are named in the error if they do not exist or are not a catalogue', async () => {
    await expect(openLewisWorld({ pictures: join(folder, 'nowhere'), ...split })).rejects.toThrow(
      /does not exist/,
    );
    const path = join(folder, 'broken.json');
    writeFileSync(path, '{');
    await expect(openLewisWorld({ pictures: path, ...split })).rejects.toThrow(/is not JSON/);
  });
});
