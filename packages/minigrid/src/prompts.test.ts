import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { miniGridIds } from './catalogue.ts';
import { actionWords, miniGrid } from './minigrid.ts';
import { miniGridPrompt, offeredActions } from './prompts.ts';

function started(id: string) {
  const environment = miniGrid(id);
  environment.reset(0);
  return environment;
}

describe('published prompts', () => {
  // length and hash of the texts in Bissmella/VLM_finetune a3d1dc7; MultiRoom has one text for both
  it.each([
    ['MiniGrid-DoorKey-6x6', 'action', 1033, 'dad9831cd910c95e'],
    ['MiniGrid-DoorKey-6x6', 'scores', 1324, '8723b30dfe56be72'],
    ['MiniGrid-Empty-Random-6x6', 'action', 593, '181679f5e53f9b3d'],
    ['MiniGrid-Empty-Random-6x6', 'scores', 809, '018b70494eae8b72'],
    ['MiniGrid-MultiRoom-N2-S4', 'action', 508, '1c0ba2b843287556'],
    ['MiniGrid-MultiRoom-N2-S4', 'scores', 508, '1c0ba2b843287556'],
  ] as const)('are literal for %s, asking for %s', (id, asksFor, length, hash) => {
    const text = miniGridPrompt(started(id), { palette: 'legacy-wrapped', asksFor });
    expect(text).toHaveLength(length);
    expect(createHash('sha256').update(text).digest('hex').slice(0, 16)).toBe(hash);
  });

  it('are refused if unpublished', () => {
    const wrapped = () => miniGridPrompt(started('MiniGrid-Fetch-5x5-N2'), { palette: 'legacy-wrapped' });
    expect(wrapped).toThrow(/none was published for MiniGrid-Fetch-5x5-N2-v0, only for DoorKey, Empty/);
  });
});

describe('our prompts', () => {
  it('describe true colours, the mission, and the actions', () => {
    const text = miniGridPrompt(started('MiniGrid-DoorKey-6x6'));
    expect(text).toContain('You are the red triangle');
    expect(text).toContain('The green square is the goal.');
    expect(text).toContain('Your mission: use the key to open the door and then get to the goal.');
    expect(text).not.toMatch(/pink|cyan|undefined/);
    expect(text.match(/"[^"]+" \(/g)!.map((word) => word.slice(1, -3))).toEqual([
      'turn left',
      'turn right',
      'move forward',
      'pick up',
      'toggle',
    ]);
    expect(text.endsWith('"action": "{action}"\n}')).toBe(true);
  });

  it.each(miniGridIds)('offer the actions of %s, also for scoring', (id) => {
    const environment = started(id);
    const text = miniGridPrompt(environment, { asksFor: 'scores' });
    const offered = offeredActions(id);
    for (const action of offered) expect(text).toContain(`"${actionWords[action]}": {score}`);
    expect(text.match(/\{score\}/g)).toHaveLength(offered.length);
    expect(text).toContain(environment.text());
  });
});
