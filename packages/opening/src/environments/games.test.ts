import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '@emac/core';
import { builtinGame } from '@emac/world';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { drawGames, drawGamesAfter, gamesNamed, listGames } from './games.ts';

const folder = temporaryFolder();

function writeGame(id: string, file: object): void {
  mkdirSync(join(folder, id), { recursive: true });
  writeFileSync(join(folder, id, 'game.tw-pddl'), JSON.stringify(file));
}

describe('games', () => {
  it('draws six different task types before repeating one', () => {
    const drawn = drawGames(listGames('builtin:train'), 12, Random.fromSeed(3));
    expect(new Set(drawn.slice(0, 6).map(({ type }) => type)).size).toBe(6);
    expect(new Set(drawn.slice(6).map(({ type }) => type)).size).toBe(6);
  });

  it('depends on the seed only', () => {
    const ids = (seed: number) =>
      drawGames(listGames('builtin:train'), 3, Random.fromSeed(seed)).map(({ load }) => load().id);
    expect(ids(0)).toEqual(ids(0));
    expect(ids(0)).not.toEqual(ids(1));
  });

  it('takes the first of every type without a generator', () => {
    const list = listGames('builtin:valid_unseen');
    const places = drawGames(list, 20, null).map((game) => list.games.indexOf(game));
    expect(new Set(places).size).toBe(20);
    expect(places[0]).toBe(0);
  });

  it('finds games by their ids, and names a missing one', () => {
    const list = listGames('builtin:train');
    const drawn = drawGames(list, 3, Random.fromSeed(5));
    const ids = drawn.map(({ id }) => id());
    expect(ids).toEqual(drawn.map(({ load }) => load().id));
    expect(gamesNamed(list, ids)).toEqual(drawn);
    expect(() => gamesNamed(list, ['other/trial_0001'])).toThrow(
      '--games builtin:train: other/trial_0001 no longer exists',
    );
  });

  it('after another phase takes unsolved games, then unseen ones, then the rest', () => {
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      writeGame(`after/pick_and_place_simple-A-None-B-1/trial_${name}`, builtinGame('train', 0).file);
    const list = listGames(join(folder, 'after'));
    const ids = (...names: readonly string[]) =>
      names.map((name) => `pick_and_place_simple-A-None-B-1/trial_${name}`);
    const before = { seen: new Set(ids('b', 'd', 'e')), solved: new Set(ids('d')) };
    const drawn = (count: number) => drawGamesAfter(list, count, { before, random: Random.fromSeed(0) });
    const all = drawn(9);
    const order = all.games.map((game) => game.id());
    expect([order.slice(0, 2).sort(), order.slice(2, 4).sort(), order.slice(4)]).toEqual([
      ids('b', 'e'),
      ids('a', 'c'),
      ids('d'),
    ]);
    expect([all.unsolved, all.unseen, all.solved]).toEqual([2, 2, 1]);
    const three = drawn(3);
    expect(three.games.map((game) => game.id())).toEqual(order.slice(0, 3));
    expect([three.unsolved, three.unseen, three.solved]).toEqual([2, 1, 0]);
    rmSync(join(folder, 'after'), { recursive: true });
  });

  it('finds a game by its id, in a suite and in a folder', () => {
    const suite = listGames('builtin:train');
    const id = suite.games[7]!.id();
    expect(suite.find(id)).toBe(suite.games[7]);
    for (const other of ['', 'x_7', id.replace('train', 'valid')]) expect(suite.find(other)).toBeUndefined();
    writeGame('found/pick_and_place_simple-A-None-B-1/trial_x', builtinGame('train', 0).file);
    const list = listGames(join(folder, 'found'));
    expect(list.find('pick_and_place_simple-A-None-B-1/trial_x')).toBe(list.games[0]);
    expect(list.find('pick_and_place_simple-A-None-B-1/trial_y')).toBeUndefined();
    rmSync(join(folder, 'found'), { recursive: true });
  });

  it('refuses a folder with two games of one id, naming both', () => {
    const { file } = builtinGame('train', 0);
    const id = 'pick_and_place_simple-A-None-B-1/trial_1';
    for (const part of ['twice/a', 'twice/b']) writeGame(`${part}/${id}`, file);
    const paths = ['a', 'b'].map((part) => join(folder, 'twice', part, id, 'game.tw-pddl'));
    expect(() => listGames(join(folder, 'twice'))).toThrow(`${paths[0]} and ${paths[1]}`);
    expect(listGames(join(folder, 'twice', 'a')).games).toHaveLength(1);
    rmSync(join(folder, 'twice'), { recursive: true });
  });

  it('names skipped games of a folder, and the reason', () => {
    const { file } = builtinGame('train', 0);
    writeGame('pick_and_place_simple-A-None-B-1/trial_1', file);
    writeGame('pick_and_place_simple-ASliced-None-B-1/trial_1', file);
    writeGame('pick_and_place_simple-A-None-B-2/trial_1', { ...file, solvable: false });
    const list = listGames(folder);
    expect(list.games.map(({ type }) => type)).toEqual(['pick_and_place_simple']);
    expect(list.games[0]!.load().id).toBe('pick_and_place_simple-A-None-B-1/trial_1');
    expect(list.leftOut).toContain('1 (not solvable)');
    expect(list.leftOut).toContain("1 ('Sliced' in the game id)");
  });
});
