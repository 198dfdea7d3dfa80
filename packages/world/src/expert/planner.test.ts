import { Random } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { parseGame } from '../game/game.ts';
import { generateGame } from '../generate/generate-game.ts';
import { World } from '../world.ts';
import { plannerExpert } from './planner.ts';

const made = generateGame({
  random: Random.fromSeed('planner'),
  split: 'train',
  dialect: 'put',
  taskType: 'pick_two_obj_and_place',
});
const game = parseGame(made.file, { id: made.id });
const expert = plannerExpert(() => game);
const task = { id: game.id, type: game.taskType };
const request = { task, memories: [], admissible: null };

describe('the planner as an expert', () => {
  it('wins as fast as can be, and from states that someone else reached', async () => {
    for (const detour of [0, 1, 5, 20]) {
      const random = Random.fromSeed(detour);
      const world = new World(game);
      const turns: { command: string; observation: string }[] = [];
      const history = { initial: world.reset().observation, turns };
      const act = (command: string): void => {
        turns.push({ command, observation: world.step(command).observation });
      };
      for (let step = 0; step < detour; step++)
        act(step % 3 === 2 ? 'nonsense' : random.pick(world.admissible));
      for (let left = world.shortestPlan()!.length; left > 0; left--) {
        expect(world.won).toBe(false);
        const label = await expert.label({ ...request, history });
        if (label.kind !== 'action') throw new Error(label.reason);
        act(label.command);
      }
      expect(world.won).toBe(true);
      expect(await expert.label({ ...request, history })).toEqual({
        kind: 'unusable',
        reason: 'the game is won already',
      });
    }
  });

  it('refuses the history of another game', async () => {
    const history = { initial: 'You are in the middle of a room.', turns: [] };
    await expect(expert.label({ ...request, history })).rejects.toThrow(/first observation differs/);
  });
});
