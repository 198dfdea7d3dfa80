import { describe, expect, it } from 'vitest';
import { miniGridAnswer } from './answers.ts';
import { miniGrid } from './minigrid.ts';
import { solve } from './solve.ts';

/** The thoughts before each of a sequence of actions. */
function thoughtsAlong(
  id: string,
  { seed, actions }: { seed: number; actions: readonly number[] },
): string[] {
  const environment = miniGrid(id);
  environment.reset(seed);
  return actions.map((action) => {
    const { thoughts } = JSON.parse(miniGridAnswer(environment, action)) as { thoughts: string };
    environment.step(action);
    return thoughts;
  });
}

describe("a perfect player's answer", () => {
  // published: agent (1, 3) looking down, door (3, 1), key (2, 3), goal (4, 4), solved by 03022125221222
  const level = { seed: 0, actions: [...'03022125221222'].map(Number) };

  it('names all positions, the next object and its direction', () => {
    const thoughts = thoughtsAlong('MiniGrid-DoorKey-6x6-v0', level);
    const before = 'locked yellow door 3 1';
    expect(thoughts[0]).toBe(`agent 1 3 down, ${before}, yellow key 2 3, goal 4 4; key left`);
    expect(thoughts[1]).toBe(`agent 1 3 right, ${before}, yellow key 2 3, goal 4 4; key here`);
    expect(thoughts[2]).toBe(`agent 1 3 right with yellow key, ${before}, goal 4 4; door left`);
    expect(thoughts.map((each) => each.split('; ')[1])).toEqual([
      ...[
        'key left',
        'key here',
        'door left',
        'door ahead',
        'door ahead',
        'door right',
        'door ahead',
        'door here',
      ],
      ...['goal ahead', 'goal ahead', 'goal right', 'goal ahead', 'goal ahead', 'goal ahead'],
    ]);
  });

  it('omits the conclusion on request, takes any action, and refuses invalid ones', () => {
    const environment = miniGrid('MiniGrid-Empty-Random-5x5-v0');
    environment.reset(0);
    expect(miniGridAnswer(environment, 2, { concludes: false })).toBe(
      '{"thoughts": "agent 2 1 down, goal 3 3", "action": "move forward"}',
    );
    expect(() => miniGridAnswer(environment, 7)).toThrow(/actions are 0 to 6, got 7/);
  });

  it('names the objects of other families', () => {
    const environment = miniGrid('MiniGrid-UnlockPickup-v0');
    environment.reset(1);
    const [action] = solve(environment)!;
    const { thoughts } = JSON.parse(miniGridAnswer(environment, action!)) as { thoughts: string };
    expect(thoughts).toMatch(
      /^agent \d+ \d+ \w+, locked \w+ door \d+ \d+, \w+ key \d+ \d+, \w+ box \d+ \d+; key \w+$/,
    );
  });
});
