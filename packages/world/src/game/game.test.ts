import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { miniGame, miniGameWith } from '../mini-game.test.data.ts';
import { World } from '../world.ts';
import { parseGame } from './game.ts';
import { findGames, loadGame } from './load-game.ts';

const folder = mkdtempSync(join(tmpdir(), 'emac-world-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(path: string, content: string): string {
  const full = join(folder, path);
  mkdirSync(join(full, '..'), { recursive: true });
  writeFileSync(full, content);
  return full;
}

function faultOf(act: () => unknown): EmacError {
  try {
    act();
  } catch (error) {
    if (error instanceof EmacError) return error;
    throw error;
  }
  throw new Error('did not fail');
}

describe('loading a game', () => {
  it('takes id and task type from the folders', () => {
    const path = write(
      'pick_two_obj_and_place-Ball-None-Shelf-1/trial_1/game.tw-pddl',
      JSON.stringify(miniGame({ walkthrough: ['look'] })),
    );
    const { id, taskType, solvable, walkthrough } = loadGame(path);
    expect({ id, taskType, solvable, walkthrough }).toEqual({
      id: 'pick_two_obj_and_place-Ball-None-Shelf-1/trial_1',
      taskType: 'pick_two_obj_and_place',
      solvable: true,
      walkthrough: ['look'],
    });
  });

  it('adds other file names to the id', () => {
    expect(loadGame(write('task/trial/game.old.tw-pddl', JSON.stringify(miniGame()))).id).toBe(
      'task/trial@game.old.tw-pddl',
    );
  });

  it('names a missing file', () => {
    const path = join(folder, 'nowhere.tw-pddl');
    expect(faultOf(() => loadGame(path))).toMatchObject({
      code: 'missing',
      message: expect.stringContaining(path) as string,
    });
  });

  const text = JSON.stringify(miniGame());
  const deep = '('.repeat(100_000);
  const bad: readonly (readonly [string, string | object, RegExp])[] = [
    ['text that is not JSON', 'hello', /not JSON/],
    ['a truncated file', text.slice(0, text.length >> 1), /not JSON/],
    ['a list', [1], /must be a JSON object, got a list/],
    ['a missing grammar', miniGame({ grammar: undefined }), /'grammar' must be text, got nothing/],
    ['a domain of the wrong type', miniGame({ pddl_domain: 3 }), /'pddl_domain' must be text, got number/],
    ['a wrong solvable', miniGame({ solvable: 'yes' }), /'solvable'/],
    ['a wrong walkthrough', miniGame({ walkthrough: [1] }), /'walkthrough'/],
    ['a truncated problem', miniGame({ pddl_problem: '(define (problem x) (:objects a' }), /not closed/],
    ['a problem that is nested too deeply', miniGame({ pddl_problem: deep }), /nested deeper/],
    [
      'has one closing parenthesis too many',
      miniGameWith('pddl_problem', '(:goal', ') (:goal'),
      /too many|one parenthesised/,
    ],
    [
      'duplicate objects',
      miniGameWith('pddl_problem', 'Ball - object', 'Ball ball - object'),
      /duplicate object 'ball'/,
    ],
    [
      'an unknown object in a fact',
      miniGameWith('pddl_problem', '(toggleable Lamp_bar_1)', '(toggleable Lamp_bar_9)'),
      /unknown 'lamp_bar_9'/,
    ],
    [
      'an undeclared predicate',
      miniGameWith('pddl_problem', '(toggleable Lamp_bar_1)', '(shines Lamp_bar_1)'),
      /'shines'/,
    ],
    [
      'a wrong number of arguments',
      miniGameWith('pddl_problem', '(toggleable Lamp_bar_1)', '(toggleable Lamp_bar_1 Ball)'),
      /2 argument\(s\), not 1/,
    ],
    ['an undeclared variable', miniGameWith('pddl_domain', '(checked ?o)', '(checked ?nobody)'), /\?nobody/],
    [
      'a grammar cut off',
      miniGame({ grammar: 'action Look { template :: "look"; feedback ::' }),
      /expected '"'/,
    ],
    ['rules that are not JSON', miniGame({ grammar: 'grammar :: """{"intro": }""";' }), /not JSON/],
    ['a derived predicate', miniGameWith('pddl_domain', '(:functions', '(:derived'), /not supported/],
    ['no goal', miniGameWith('pddl_problem', '(:goal', '(:metric'), /no goal/],
    [
      'a goal out of reach',
      miniGameWith('pddl_problem', '(inReceptacle ?y Shelf_bar_b)', '(toggleable Shelf_bar_b)'),
      /unsolvable game/,
    ],
  ];
  for (const [what, content, message] of bad)
    it(`refuses ${what}, naming the file`, () => {
      const fault = faultOf(() => parseGame(content, { path: 'folder/trial/game.tw-pddl' }));
      expect(fault.code).toBe('data');
      expect(fault.message).toMatch(message);
      expect(fault.message).toMatch(/^folder\/trial\/game.tw-pddl/);
    });
});

describe('damaged texts', () => {
  it('load, or are refused with an error of code data: cut off, pieces missing, pieces doubled', () => {
    const keys = ['pddl_domain', 'grammar', 'pddl_problem'] as const;
    const position = fc.double({ min: 0, max: 1, noNaN: true });
    let refused = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...keys),
        position,
        fc.nat(30),
        fc.constantFrom('cut', 'drop', 'double'),
        (key, at, length, how) => {
          const text = miniGame()[key] as string;
          const start = Math.floor(at * text.length);
          const [before, piece, after] = [
            text.slice(0, start),
            text.slice(start, start + length),
            text.slice(start + length),
          ];
          const damaged =
            how === 'cut' ? before : how === 'drop' ? before + after : before + piece + piece + after;
          try {
            const world = new World(parseGame(miniGame({ [key]: damaged })));
            for (const command of world.reset().admissible) world.step(command);
          } catch (error) {
            expect(error).toMatchObject({ name: 'EmacError', code: 'data' });
            refused++;
          }
        },
      ),
      { numRuns: 200 },
    );
    expect(refused).toBeGreaterThan(30);
  });
});

describe('finding games', () => {
  it('sorts them, and counts skipped ones with the reason', () => {
    const root = 'found';
    const good = JSON.stringify(miniGame());
    for (const name of ['b', 'a', 'x-movable', 'y-Sliced', 'z-Sliced'])
      write(`${root}/${name}/t/game.tw-pddl`, good);
    write(`${root}/c/t/game.tw-pddl`, JSON.stringify(miniGame({ solvable: false })));
    write(`${root}/d/t/game.tw-pddl`, JSON.stringify(miniGame({ solvable: undefined })));
    write(`${root}/e/t/game.tw-pddl`, good.slice(0, 100));
    write(`${root}/f/t/other.json`, good);
    const { games, leftOut } = findGames(join(folder, root));
    expect(games).toEqual(['a', 'b', 'e'].map((name) => join(folder, root, name, 't', 'game.tw-pddl')));
    expect(leftOut).toEqual([
      { reason: 'not solvable', count: 2 },
      { reason: "'movable' in the game id", count: 1 },
      { reason: "'Sliced' in the game id", count: 2 },
    ]);
  });

  it('names a missing path', () => {
    expect(faultOf(() => findGames(join(folder, 'nothing'))).code).toBe('missing');
  });
});
