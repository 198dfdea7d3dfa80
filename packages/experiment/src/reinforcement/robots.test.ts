import { Random } from '@emac/core';
import {
  countedStarts,
  countedTasks,
  environmentId,
  isPlayedElsewhere,
  movedWorld,
  ppoEnvironment,
} from '@emac/opening';
import { describe, expect, it } from 'vitest';
import { ppoConfig } from './given-config.ts';

describe('robots', () => {
  it('are found by suite and task, and nothing else', () => {
    expect(environmentId('tabletop/spatial')).toBe('tabletop/spatial');
    expect(environmentId('tabletop/long/7')).toBe('tabletop/long/7');
    for (const name of ['tabletop/other', 'tabletop/spatial/10', 'tabletop/spatial/3/4', 'tabletop'])
      expect(() => environmentId(name)).toThrow(/is not an environment|is a kind of environment/);
  });

  it('have separate training and held-out starts, each begun by its number', () => {
    const [train, heldOut] = (['training', 'heldOut'] as const).map((set) =>
      countedStarts('tabletop/goal', set),
    );
    expect([train!.length, heldOut!.length]).toEqual([400, 100]);
    const ids = new Set(train!.map(({ id }) => id));
    expect(heldOut!.some(({ id }) => ids.has(id))).toBe(false);
    const environment = movedWorld('tabletop/goal').make({
      starts: { set: 'heldOut', isCounted: true },
      maxSteps: null,
      frameSize: 8,
    });
    for (const { seed, id, task } of heldOut!.slice(0, 25)) {
      environment.reset(seed);
      const { task: number, state } = environment.start;
      expect([id, task]).toEqual([`tabletop/goal/${number}/${state}`, environment.text()]);
    }
  });

  it('played by a remote client have settings, but no starts here', () => {
    // as other environments, until the client says how many there are
    expect(ppoConfig({ env: 'libero_spatial/3', policy: 'a model' }).evaluation.episodes).toBe(200);
    expect(() => countedStarts('libero_spatial/3', 'heldOut')).toThrow(/is played by a client only/);
    expect(['libero_90/89', 'libero_10/9', 'libero_goal'].map(isPlayedElsewhere)).toEqual([true, true, true]);
    expect(['libero_90/90', 'libero_10/10', 'libero_goal/'].map(isPlayedElsewhere)).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('give a curriculum starts of the task it asks for, of training alone', () => {
    const { tasks, seedOf } = countedTasks('tabletop/object');
    expect(tasks).toHaveLength(10);
    const config = ppoConfig({
      env: 'tabletop/object',
      policy: 'emma-tiny',
      curriculum: { formula: 'half' },
    });
    const environment = ppoEnvironment(config);
    const random = Random.fromSeed(1);
    for (const task of tasks)
      for (const draw of [0, 1, 2]) {
        const info = environment.reset(seedOf(task, random.stream(task).stream(draw)));
        expect(environment.text()).toBe(task);
        expect(info['state']).toBeLessThan(40);
      }
    expect(countedTasks('tabletop/object/3').tasks).toEqual([tasks[3]]);
  });

  it('are evaluated on every held-out start by default', () => {
    const episodesOf = (env: string, given = {}) => ppoConfig({ env, ...given }).evaluation.episodes;
    expect([episodesOf('tabletop/goal'), episodesOf('tabletop/goal/3')]).toEqual([100, 10]);
    expect(episodesOf('tabletop/goal', { evaluation: { episodes: 5 } })).toBe(5);
    expect(episodesOf('gym_cards/NumberLine-v0')).toBe(200);
  });

  it('are commanded in words by a small network', () => {
    const environment = ppoEnvironment(ppoConfig({ env: 'tabletop/spatial', policy: 'cnn' }));
    environment.reset(2);
    expect(environment.actions).toContain('slightly up');
    expect(environment.step(environment.actions.indexOf('up')).reward).toBe(0);
  });
});
