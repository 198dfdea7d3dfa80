import { describe, expect, it } from 'vitest';
import { blackjack } from './blackjack.ts';
import { hasUsableAce, totalOf, type BlackjackState, type Hand } from './blackjack-hand.ts';
import { bestStrategy, oddsOf } from './exact/blackjack-odds.ts';
import { makeGymCards } from './make.ts';
import type { Fact } from '@emac/core';

const noDraws = { integers: () => NaN, random: () => NaN };

/** `AC QH` as a hand. */
function hand(text: string): Hand {
  return text.split(' ').map((card) => {
    const face = card.slice(0, -1);
    const value = face === 'A' ? 1 : 'JQK'.includes(face) ? 10 : Number(face);
    return [value, face, card.at(-1)!];
  });
}

function written(cards: Fact | undefined): string {
  return (cards as Hand).map(([, face, suit]) => `${face}${suit}`).join(' ');
}

describe('Blackjack', () => {
  it.each([
    [0, 'QH 4D', 'AC AC', '11', 'AC AC QH QH', 'QH 4D', -1],
    [1, '7H JS', '2S JC', '10', '2S JC 6D', '7H JS', 1],
    [2, 'JD 4D', 'JD 5H', '1', 'JD 5H KC', 'JD 4D', -1],
    [3, 'JC 4C', 'QS AC', '0', 'QS AC', 'JC 4C 9D', 1],
    [4, 'KS 7S', 'JS 6H', '1', 'JS 6H 9S', 'KS 7S', -1],
    [5, '9S AS', '7H 9D', '10', '7H 9D AD', '9S AS', -1],
  ])('from seed %i deals %s and %s as the published code does', (seed, dealer, player, actions, ...end) => {
    const game = makeGymCards('gym_cards/Blackjack-v0');
    const dealt = game.reset(seed);
    const hidden = (info: typeof dealt): Fact => (info['private'] as Record<string, Fact>)['Dealer Card']!;
    expect([written(hidden(dealt)), written(dealt['Player Card'])]).toEqual([dealer, player]);
    const outcomes = [...actions].map((action) => game.step(Number(action)));
    const { info, reward, terminated } = outcomes.at(-1)!;
    expect([written(info['Player Card']), written(hidden(info)), reward]).toEqual(end);
    expect(terminated).toBe(true);
    expect(outcomes.slice(0, -1).some((each) => each.terminated || each.reward !== 0)).toBe(false);
  });

  it.each([
    ['AC AC', 12, true],
    ['AC KH', 21, true],
    ['AC KH QD', 21, false],
    ['AC 5H 6D', 12, false],
    ['AC 4H 6D', 21, true],
    ['KC QH 2D', 22, false],
  ])('counts %s as %i', (cards, total, usable) => {
    expect([totalOf(hand(cards)), hasUsableAce(hand(cards))]).toEqual([total, usable]);
  });

  const state = (player: string, dealer: string): BlackjackState => ({
    player: hand(player),
    dealer: hand(dealer),
  });

  it.each([
    ['KC 9H', 'KD 8D', 1],
    ['KC 8H', 'KD 8D', 0],
    ['KC 7H', 'KD 8D', -1],
    ['KC AH', 'KD AD', 0],
  ])('pays for standing with %s against %s: %i', (player, dealer, reward) => {
    expect(blackjack().act(state(player, dealer), 0, noDraws)).toMatchObject({ reward, won: reward === 1 });
  });

  it('pays more for a natural if asked, and never with compat', () => {
    const rewards = (player: string, dealer: string) =>
      [
        {},
        { natural: true },
        { sab: true },
        { sab: true, natural: true },
        { natural: true, compat: true },
      ].map((options) => blackjack(options).act(state(player, dealer), 0, noDraws).reward);
    expect(rewards('AC KH', '9D 9H')).toEqual([1, 1.5, 1, 1, 1]);
    expect(rewards('AC KH', '9D 2H KC')).toEqual([0, 0, 1, 1, 0]);
    expect(rewards('AC KH', 'AD QH')).toEqual([0, 0, 0, 0, 0]);
    expect(rewards('AC 4H 6D', '9D 9H')).toEqual([1, 1, 1, 1, 1]);
  });

  it('shows the hidden card under private alone, with compat as published', () => {
    const seen = state('AC 4H', '9D KH');
    expect(blackjack().facts(seen)).toEqual({
      'Dealer Card': [[9, '9', 'D']],
      'Player Card': seen.player,
      private: { 'Dealer Card': seen.dealer },
    });
    const published = blackjack({ compat: true });
    expect(published.facts(seen)).toEqual({ 'Dealer Card': seen.dealer, 'Player Card': seen.player });
    expect(blackjack().arrays(seen)).toEqual({ hand: { shape: [3], data: Int32Array.of(15, 9, 1) } });
    expect(published.arrays(seen)).toEqual({ hand: { shape: [3], data: Int32Array.of(15, 9, 0) } });
    expect(blackjack().text(state('5C AH', 'KD 2C'))).toBe("Dealer's card: K. Player's cards: 5, A.");
  });
});

describe('the odds of Blackjack', () => {
  const percent = (share: number): number => Math.round(share * 10_000) / 100;

  it('are -0.0466 at best, with 42.95 % won, 9.45 % drawn and 47.60 % lost', () => {
    const { win, draw, lose } = oddsOf(bestStrategy('reward'));
    expect([win, draw, lose].map(percent)).toEqual([42.95, 9.45, 47.6]);
    expect(win - lose).toBeCloseTo(-0.046556, 6);
    expect(win).toBeCloseTo(0.429457, 6);
  });

  it('are 43.16 % wins for a player who maximizes wins', () => {
    expect(oddsOf(bestStrategy('wins')).win).toBeCloseTo(0.43163, 6);
  });

  it.each([
    ['always standing', 38.07, () => 0],
    ['hitting below 17', 40.77, ({ total }: { total: number }) => Number(total < 17)],
    ['standing from 20 on', 29.39, ({ total }: { total: number }) => Number(total < 20)],
    ['tossing a coin', 28.06, () => 0.5],
  ])('of %s are %f %% of wins', (_, wins, strategy) => {
    expect(percent(oddsOf(strategy).win)).toBe(wins);
  });

  it('of a strategy by the own total only are -0.0640 at best', () => {
    const strategy = ({ total, usableAce }: { total: number; usableAce: boolean }) =>
      Number(total < (usableAce ? 18 : 15));
    const { win, lose } = oddsOf(strategy);
    expect(win - lose).toBeCloseTo(-0.064, 4);
  });

  it('are those of the games that are played', () => {
    const game = makeGymCards('gym_cards/Blackjack-v0');
    game.reset(7);
    const episodes = 4000;
    let wins = 0;
    for (let episode = 0; episode < episodes; episode++) {
      for (let isOver = false; !isOver;) {
        const { terminated, info } = game.step(game.expert());
        isOver = terminated;
        if (info.won) wins++;
      }
      game.reset(null);
    }
    // 0.4295 ± 0.0078: four times that, from one seed
    expect(Math.abs(wins / episodes - 0.4295)).toBeLessThan(4 * 0.0078);
  });
});
