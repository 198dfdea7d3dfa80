import { kinds } from '@emac/opening';
import { describe, expect, it } from 'vitest';
import { emac } from '../../captured-io.test.fixture.ts';

describe('emac env ls', () => {
  it('lists every id of every kind with step limit and actions, as emac envs does', async () => {
    const { status, stdout } = await emac(['env', 'ls']);
    expect(status).toBe(0);
    for (const { name, about, ids } of kinds) {
      expect(stdout).toContain(`${name}: ${about}`);
      for (const id of ids) expect(stdout).toContain(`  ${id}`);
    }
    expect(stdout).toMatch(/MiniGrid-Empty-5x5-v0 +100 steps: turn left, turn right, move forward\n/);
    expect(stdout).toMatch(/Sokoban-6x6-1 +100 steps: up, down, left, right\n/);
    expect(stdout).toMatch(/tabletop\/spatial +132 steps \(22 by seven numbers\): left,/);
    expect(stdout).toContain(
      'rewards from 0 to 1; a scripted player; shows text, picture, arrays\n  tabletop/spatial',
    );
    expect(stdout).toMatch(/ lewis\/speaker +1 step : any text\n/);
    expect((await emac(['envs'])).stdout).toBe(stdout);
  });

  it('says the same as JSON', async () => {
    const { stdout } = await emac(['env', 'ls', '--json']);
    const { kinds: listed } = JSON.parse(stdout) as { kinds: { kind: string; environments: object[] }[] };
    expect(listed.map(({ kind }) => kind)).toEqual(kinds.map(({ name }) => name));
    const cards = listed.find(({ kind }) => kind === 'gym-cards')!;
    expect(cards).toMatchObject({ policy: 'rl-tiny', runs: 'here' });
    expect(cards.environments[0]).toEqual({
      id: 'gym_cards/NumberLine-v0',
      actions: ['-', '+'],
      steps: 300,
      training_tasks: null,
      held_out_tasks: null,
      rewards: [-1, 1],
      player: true,
      shows: ['text', 'picture', 'arrays'],
    });
    const table = listed.find(({ kind }) => kind === 'tabletop')!.environments[0];
    expect(table).toMatchObject({ robot_steps: 22, training_tasks: 400, held_out_tasks: 100 });
    // the published split has 134 unseen games
    const games = { held_out_tasks: 134, steps: 50, player: true, shows: ['text', 'picture'] };
    expect(listed[0]!.environments).toMatchObject([games]);
    expect(listed.find(({ kind }) => kind === 'libero')).toMatchObject({ runs: 'at a client' });
  });
});
