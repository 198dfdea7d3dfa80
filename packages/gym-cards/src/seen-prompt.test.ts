import { Random } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { gymCardsIds, makeGymCards } from './make.ts';
import { promptOfSeen } from './seen-prompt.ts';

describe.each(gymCardsIds)('the prompt from the arrays of %s', (id) => {
  it('is the game’s own at every step', () => {
    const game = makeGymCards(id);
    const random = Random.fromSeed(id);
    const seen = new Set<string>();
    for (let episode = 0; episode < 20; episode++) {
      game.reset(episode);
      for (let step = 0; step < 8; step++) {
        const prompt = game.prompt();
        seen.add(prompt);
        expect(promptOfSeen(id, game.observe())).toBe(prompt);
        expect(promptOfSeen(id, game.observe(), { actionOnly: true })).toBe(
          game.prompt({ actionOnly: true }),
        );
        if (game.step(random.integer(game.actions.length)).terminated) break;
      }
    }
    // games of points show the formula, the others the same prompt always
    expect(seen.size > 10).toBe(id.includes('oints'));
  });
});

it('is refused for another environment', () => {
  expect(() => promptOfSeen('MiniGrid-Empty-5x5-v0', {})).toThrow('gym-cards: has gym_cards/NumberLine-v0');
});
