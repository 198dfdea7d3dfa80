import { describe, expect, it } from 'vitest';
import { overlaps } from './footprint.ts';
import { firstOpen } from './goals.ts';
import { footprintOf, topOf } from './scene.ts';
import { sceneOf, startsOf, statesOf, suites, tasksOf } from './starts.ts';

describe.each(suites)('the suite %s', (suite) => {
  const tasks = tasksOf(suite);
  const scenes = startsOf('all').map((start) => ({ start, scene: sceneOf(suite, start) }));

  it('has ten tasks, each with its own sentence and fifty scenes', () => {
    expect(new Set(tasks.map(({ text }) => text)).size).toBe(10);
    for (const { name, text } of tasks) expect(name.split('_').join(' ')).toBe(text);
    expect(new Set(scenes.map(({ scene }) => JSON.stringify(scene))).size).toBe(500);
  });

  it('begins with work to do', () => {
    for (const { start, scene } of scenes) expect(firstOpen(scene, tasks[start.task]!.goals)).not.toBeNull();
  });

  it('has things side by side, and stacked ones touch the top or floor below', () => {
    for (const { scene } of scenes)
      for (const [place, thing] of scene.things.entries()) {
        if (thing.on === null) expect(thing.z).toBe(0);
        for (const other of scene.things.slice(place + 1)) {
          const isApart = thing.on === other.name || other.on === thing.name;
          const isAbove = thing.z >= topOf(other) || other.z >= topOf(thing);
          const isInside = thing.on !== null || other.on !== null;
          if (!isApart && !isAbove && !isInside)
            expect(overlaps(footprintOf(thing), footprintOf(other)), `${thing.name} ${other.name}`).toBe(
              false,
            );
        }
      }
  });
});

describe('the initial states', () => {
  it('are learned from or held out', () => {
    expect(statesOf('train')).toHaveLength(40);
    expect([...statesOf('train'), ...statesOf('held-out')]).toEqual(statesOf('all'));
    expect(startsOf('held-out')).toHaveLength(100);
    expect(startsOf('all').slice(9, 11)).toEqual([
      { task: 9, state: 0 },
      { task: 0, state: 1 },
    ]);
  });

  it('continue with further, distinct scenes', () => {
    const states = [...statesOf('all'), 50, 51, 2000, 2 ** 32];
    for (const suite of suites)
      expect(new Set(states.map((state) => JSON.stringify(sceneOf(suite, { task: 3, state })))).size).toBe(
        states.length,
      );
  });

  it('are fifty, and ten tasks', () => {
    expect(() => sceneOf('goal', { task: 10, state: 0 })).toThrow(
      /a task is a whole number from 0 to 9, got 10/,
    );
    expect(() => sceneOf('goal', { task: 0, state: -1 })).toThrow(
      /a state is a whole number from 0 .* got -1/,
    );
  });
});
