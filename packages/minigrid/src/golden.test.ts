/** Levels, frames and solutions as minigrid 3.0.0 to 3.2.0 with numpy 2.4.6 give them. Hashes are the first 16 digits of SHA-256. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { kindOf, kinds, type Kind } from './cell.ts';
import { miniGrid, type MiniGrid } from './minigrid.ts';
import { solve } from './solve.ts';

function sha(...parts: readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex').slice(0, 16);
}

/** `x,y` of the one thing of a kind. */
function placeOf(environment: MiniGrid, kind: Kind): string {
  const { cells } = environment.state();
  const width = Math.sqrt(cells.length);
  const places = [...cells.keys()].filter((place) => kindOf(cells[place]!) === kinds[kind]);
  expect(places).toHaveLength(1);
  return `${places[0]! % width},${Math.floor(places[0]! / width)}`;
}

/** `x,y direction` of the agent. */
function agentOf(environment: MiniGrid): string {
  const [x, y, direction] = environment.state().agent;
  return `${x},${y} ${direction}`;
}

function layoutOf(environment: MiniGrid): string[] {
  return [agentOf(environment), placeOf(environment, 'door'), placeOf(environment, 'key')];
}

describe('DoorKey-6x6', () => {
  it.each([
    [0, '1,3 1', '3,1', '2,3', '8382c4af8920159d'],
    [1, '1,4 3', '2,1', '1,1', 'ca6e8a9b46a8befe'],
    [2, '2,2 0', '3,2', '1,4', '351fbde15a00c895'],
    [3, '1,3 1', '3,1', '1,2', '12d3be27ec74bdd4'],
    [4, '1,1 1', '3,2', '2,3', '2f1088cc647c028b'],
    [5, '2,2 2', '3,2', '1,3', 'dc4a58400bcfca53'],
    [6, '1,3 1', '2,3', '1,1', '1ac0495e7242b361'],
    [7, '1,4 3', '3,2', '1,2', '4f12d587e9bc2b12'],
    [8, '2,1 1', '3,2', '2,3', '0200ace53a9e0a51'],
    [9, '1,4 3', '2,2', '1,1', '06cb6b2420304b1b'],
  ])('has after seed %i the agent at %s, the door at %s, the key at %s', (seed, agent, door, key, frame) => {
    const environment = miniGrid('MiniGrid-DoorKey-6x6');
    environment.reset(seed);
    expect(layoutOf(environment)).toEqual([agent, door, key]);
    expect(placeOf(environment, 'goal')).toBe('4,4');
    const { width, height, data } = environment.frame();
    expect([width, height, sha(data)]).toEqual([192, 192, frame]);
  });

  it('continues from seed 0 when reset without a seed', () => {
    const environment = miniGrid('MiniGrid-DoorKey-6x6-v0');
    environment.reset(0);
    const next = () => {
      environment.reset(null);
      return layoutOf(environment);
    };
    expect([next(), next(), next()]).toEqual([
      ['1,3 3', '3,3', '2,4'],
      ['1,2 0', '3,1', '2,3'],
      ['2,2 1', '3,3', '1,4'],
    ]);
  });

  it('has another grid in five by five', () => {
    const environment = miniGrid('MiniGrid-DoorKey-5x5-v0');
    environment.reset(0);
    expect(layoutOf(environment)).toEqual(['1,3 2', '2,1', '1,2']);
    environment.reset(1);
    expect(layoutOf(environment)).toEqual(['1,2 1', '2,2', '1,3']);
  });
});

describe('Empty-Random', () => {
  it.each([
    [
      5,
      '2,1 1|2,2 3|1,3 3|1,2 2|2,3 1|2,2 2|2,2 2|2,3 3|3,1 0|3,2 2',
      '8d89fa4d05195078',
      '42f5142b21f8c673',
    ],
    [
      6,
      '3,1 1|2,3 3|2,4 1|1,1 0|2,3 1|2,3 2|2,3 2|3,4 3|4,1 0|3,4 3',
      'a2e9cc1b09019421',
      '61212e7b19495649',
    ],
  ])('of side %i puts the agent to these places after seeds 0 to 9', (side, agents, first, second) => {
    const environment = miniGrid(`MiniGrid-Empty-Random-${side}x${side}-v0`);
    const found = Array.from({ length: 10 }, (_, seed) => {
      environment.reset(seed);
      return agentOf(environment);
    });
    expect(found.join('|')).toBe(agents);
    environment.reset(0);
    expect(sha(environment.frame().data)).toBe(first);
    environment.reset(1);
    expect(sha(environment.frame().data)).toBe(second);
  });
});

describe('the shortest solution', () => {
  it.each([
    ['DoorKey-6x6', 0, '03022125221222', 0.965, 'b376132fe14bea15', '21cdf4c3f107193f'],
    ['DoorKey-6x6', 1, '2232152221222', 0.9675, '90cb198fcb58b69c', '54fa89a653f9b4e0'],
    ['DoorKey-6x6', 2, '122131221522122', 0.9625, 'b4fe417e402b1eed', '016d127ce178c918'],
    ['DoorKey-6x6', 3, '00322125221222', 0.965, '907068551e11ccf6', 'c89686041958d279'],
    ['DoorKey-6x6', 4, '021230522122', 0.97, '78f0f224de3977cc', '9b7e62fcddaca3df'],
    ['Empty-Random-5x5', 0, '2202', 0.964, '52846c9bb7bd61a2', 'cf811043638f3f2b'],
    ['Empty-Random-5x5', 1, '1212', 0.964, '772660fdf6a947bd', 'ec0d7afbb9262476'],
    ['Empty-Random-5x5', 2, '122', 0.973, '00089e777de9571e', '77cc3a34178f28e7'],
    ['Empty-Random-6x6', 0, '22202', 0.96875, 'd24bd52cd787285e', '948cb2703b33c0f1'],
    ['Empty-Random-6x6', 1, '12212', 0.96875, 'b1966bd4e802bfed', '7cc0b40cdbabaecf'],
    ['Empty-Random-6x6', 2, '022', 0.98125, '50c1fdd0f2604e4a', 'd2b3ca37465e3f3c'],
  ])('of %s after seed %i is %s, with return %d', (name, seed, actions, reward, frames, images) => {
    const environment = miniGrid(`MiniGrid-${name}-v0`);
    environment.reset(seed);
    expect(solve(environment)!.join('')).toBe(actions);
    const seen = [environment.frame().data];
    const image = () => Uint8Array.from(environment.observe().image.data);
    const observed = [image()];
    let last = null;
    for (const action of actions) {
      expect(last?.terminated ?? false).toBe(false);
      last = environment.step(Number(action));
      seen.push(environment.frame().data);
      observed.push(image());
    }
    expect(last).toEqual({ reward, terminated: true, truncated: false, info: { won: true } });
    expect(sha(...seen)).toBe(frames);
    expect(sha(...observed)).toBe(images);
  });
});
