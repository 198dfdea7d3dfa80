import { describe, expect, it } from 'vitest';
import { builtinGame, builtinGames } from './builtin-suite.ts';
import { roomNames } from './room.ts';
import { taskTypes } from '../task-type.ts';

// Games per task type (simple, look, clean, heat, cool, two) of ALFWorld's splits.
const expected = {
  train: [790, 308, 650, 459, 533, 813],
  valid_seen: [35, 13, 27, 16, 25, 24],
  valid_unseen: [24, 18, 31, 23, 21, 17],
} as const;

describe.each(['train', 'valid_seen', 'valid_unseen'] as const)('the built-in suite %s', (name) => {
  const suite = builtinGames(name);

  it('has as many games of each task type as the real split', () => {
    const counts = taskTypes.map((type) => suite.taskTypes.filter((each) => each === type).length);
    expect(counts).toEqual(expected[name]);
    expect(suite.length).toBe(expected[name].reduce((sum, count) => sum + count, 0));
  });

  it('gives ids without making games, and the games have them', () => {
    for (const index of [0, 1, 17, suite.length - 1]) {
      const made = suite.game(index);
      expect(made.id).toBe(suite.id(index));
      expect(made.taskType).toBe(suite.taskTypes[index]);
      expect(made.id).toMatch(
        new RegExp(
          `^${made.taskType}-\\w+-None-\\w+-[KLBW]\\d+/trial_builtin_${name}_${String(index).padStart(4, '0')}$`,
        ),
      );
      expect(builtinGame(name, index)).toEqual(made);
    }
  });

  it('mixes the task types from the start', () => {
    expect(new Set(suite.taskTypes.slice(0, 30)).size).toBe(6);
  });

  it('refuses an index outside', () => {
    expect(() => suite.game(suite.length)).toThrow(/builtinGames: .* has games 0–/);
    expect(() => suite.id(-1)).toThrow(/got -1/);
  });
});

describe('built-in suites', () => {
  const rooms = (name: 'train' | 'valid_seen' | 'valid_unseen', count: number) => {
    const suite = builtinGames(name);
    return Array.from({ length: count }, (_, index) => suite.id(index).split('/')[0]!.split('-')[4]!);
  };

  it('keep the rooms of valid_unseen to themselves', () => {
    const held = (['kitchen', 'livingroom', 'bedroom', 'bathroom'] as const).flatMap((kind) =>
      roomNames('valid_unseen', kind),
    );
    expect([...new Set(rooms('valid_unseen', 134))].every((room) => held.includes(room))).toBe(true);
    expect(rooms('train', 300).some((room) => held.includes(room))).toBe(false);
    expect(rooms('valid_seen', 140).some((room) => held.includes(room))).toBe(false);
  });
});
