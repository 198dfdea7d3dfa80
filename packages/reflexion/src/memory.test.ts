import { EmacError } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { createMemory } from './memory.ts';

describe('createMemory', () => {
  it('keeps lessons by game and shows the last three, oldest first', () => {
    const memory = createMemory();
    for (const lesson of ['1', '2', ' 3 ', '4', '']) memory.add('task/a', lesson);
    memory.add('__proto__', 'p');
    expect(memory.last('task/a')).toEqual(['2', '3', '4']);
    expect(memory.last('task/a', 1)).toEqual(['4']);
    expect(memory.last('task/a', 0)).toEqual([]);
    expect(memory.last('__proto__')).toEqual(['p']);
    expect(memory.last('task/b')).toEqual([]);
  });

  it('is the same after a way through JSON, whatever the order in which games came', () => {
    const one = createMemory();
    one.add('b', 'x');
    one.add('a', 'y');
    const other = createMemory(JSON.parse(JSON.stringify(one.serialise())));
    expect(other.serialise()).toEqual(one.serialise());
    expect(one.serialise().games.map(({ id }) => id)).toEqual(['a', 'b']);
    other.add('a', 'z');
    expect(one.last('a')).toEqual(['y']);
  });

  it.each([
    null,
    {},
    { v: 2, games: [] },
    { v: 1, games: [{ id: 1 }] },
    { v: 1, games: [{ id: 'a', lessons: [1] }] },
    'x',
  ])('refuses %j', (state) => {
    expect(() => createMemory(state)).toThrow(EmacError);
  });
});
