import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { generatedGames, writeGame } from '../generate/write-games.ts';
import { dataFolder, findSplit } from './data-folder.ts';
import { loadGame } from './load-game.ts';
import { verifyGame } from './verify-game.ts';
import { taskTypes } from '../task-type.ts';

const folder = mkdtempSync(join(tmpdir(), 'emac-data-'));
afterAll(() => rmSync(folder, { recursive: true }));

const split = join(folder, 'json_2.1.1', 'valid_seen');
const paths = taskTypes.flatMap((taskType) =>
  [...generatedGames({ count: 2, seed: taskType, taskType, dialect: 'put' })].map((game) =>
    writeGame(split, game),
  ),
);

describe('the data folder', () => {
  it('is ALFWORLD_DATA, or in the cache folder', () => {
    expect(dataFolder({ ALFWORLD_DATA: '/data' })).toBe('/data');
    expect(dataFolder({})).toBe(join(homedir(), '.cache', 'alfworld'));
  });

  it('gives a split sorted by path, or the games of a type, or one by its id', () => {
    expect(findSplit('valid_seen', {}, folder).games).toEqual([...paths].sort());
    const looks = findSplit('valid_seen', { taskType: 'look_at_obj_in_light' }, folder).games;
    expect(looks.map((path) => loadGame(path).taskType)).toEqual(Array(2).fill('look_at_obj_in_light'));
    const { id } = loadGame(looks[1]!);
    expect(findSplit('valid_seen', { id }, folder).games).toEqual([looks[1]]);
    expect(findSplit('valid_seen', { id, taskType: 'pick_and_place_simple' }, folder).games).toEqual([]);
  });

  it('names a missing split', () => {
    expect(() => findSplit('train', {}, folder)).toThrow(/json_2.1.1.train: no such file or folder/);
  });
});

describe('generated games as files', () => {
  it('are verified by walkthrough and planner, which agree on the length', () => {
    for (const path of paths) {
      const { fault, walkthrough, shortest } = verifyGame(path);
      expect({ path, fault }).toEqual({ path, fault: null });
      expect(walkthrough).toBe(shortest);
    }
  });

  it('are the same for the same seed, and never overwritten', () => {
    const [game] = generatedGames({
      count: 1,
      seed: 'look_at_obj_in_light',
      taskType: 'look_at_obj_in_light',
      dialect: 'put',
    });
    const path = join(split, game!.id, 'game.tw-pddl');
    expect(readFileSync(path, 'utf8')).toBe(JSON.stringify(game!.file));
    expect(() => writeGame(split, game!)).toThrow(/already exists/);
    expect(() => [...generatedGames({ count: -1, seed: 0 })]).toThrow(/whole number/);
  });

  it('have faults if the walkthrough is wrong or the file damaged', () => {
    const [game] = generatedGames({ count: 1, seed: 'damaged' });
    const { file } = game!;
    const faultOf = (content: string): string | null => {
      const path = join(folder, 'damaged.tw-pddl');
      writeFileSync(path, content);
      return verifyGame(path).fault;
    };
    const walked = (walkthrough: readonly string[]): string => JSON.stringify({ ...file, walkthrough });
    expect(faultOf(walked(['dance']))).toMatch(/'dance' as command 1, which is refused/);
    expect(faultOf(walked(file.walkthrough.slice(0, -1)))).toBe('its walkthrough does not win');
    expect(faultOf(walked([...file.walkthrough, 'look']))).toBe(
      "its walkthrough wins before the command 'look'",
    );
    expect(faultOf('{')).toMatch(/not JSON/);
  });
});
