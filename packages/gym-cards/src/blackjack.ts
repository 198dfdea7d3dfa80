/**
 * Blackjack with an endless deck, the dealer drawing below 17. Draws are numpy's, in the published order: equal seeds deal equal hands. The
 * published facts show the dealer's hidden card; here it is under `private`. With `compat` it is shown, the symbolic state never has
 * a usable ace, and no hand is ever a natural, as published.
 */
import { hasUsableAce, totalOf, type BlackjackState, type Hand, type PlayingCard } from './blackjack-hand.ts';
import { bestStrategy, type Strategy } from './exact/blackjack-odds.ts';
import type { Draws, Facts, Game, Outcome } from './game.ts';
import type { Look } from './answers.ts';
import { frameOfBlackjack } from './frame/blackjack-frame.ts';
import { blackjackPrompt } from './prompts.ts';

export interface BlackjackOptions {
  /** a win with ace and ten counts 1.5; default false */
  readonly natural?: boolean;
  /** as in Sutton and Barto's book: ace and ten beat all but the same; default false */
  readonly sab?: boolean;
  readonly compat?: boolean;
}

/** Actions `stand` (0) and `hit` (1). Reward 1, 0 or -1 at the end: won, drawn or lost. Never truncated. */
export function blackjack({
  natural = false,
  sab = false,
  compat = false,
}: BlackjackOptions = {}): Game<BlackjackState> {
  const isNatural = (hand: Hand): boolean => !compat && hand.length === 2 && totalOf(hand) === 21;
  const rewardOf = ({ player, dealer }: BlackjackState): number => {
    const reward = Math.sign(scoreOf(player) - scoreOf(dealer));
    if (!isNatural(player)) return reward;
    if (sab) return isNatural(dealer) ? reward : 1;
    return natural && reward === 1 ? 1.5 : reward;
  };
  return {
    id: 'gym_cards/Blackjack-v0',
    actions: ['stand', 'hit'],
    deal: dealt,
    act: (state, action, draws) => (action === 0 ? stood(state, draws, rewardOf) : hit(state, draws)),
    facts: (state) => (compat ? published(state) : facts(state)),
    text,
    arrays: ({ dealer, player }) => ({
      hand: {
        shape: [3],
        data: Int32Array.of(totalOf(player), dealer[0]![0], hasUsableAce(player) && !compat ? 1 : 0),
      },
    }),
    frame: frameOfBlackjack,
    prompt: (_, options) => blackjackPrompt(options),
    expert,
    look,
  };
}

/** 0 for a hand that is over 21. */
function scoreOf(hand: Hand): number {
  const total = totalOf(hand);
  return total > 21 ? 0 : total;
}

function stood(
  { dealer, player }: BlackjackState,
  draws: Draws,
  rewardOf: (state: BlackjackState) => number,
): Outcome<BlackjackState> {
  const hand = [...dealer];
  while (totalOf(hand) < 17) hand.push(drawnCard(draws));
  const state = { dealer: hand, player };
  const reward = rewardOf(state);
  return { state, reward, terminated: true, truncated: false, won: reward > 0 };
}

function hit({ dealer, player }: BlackjackState, draws: Draws): Outcome<BlackjackState> {
  const state = { dealer, player: [...player, drawnCard(draws)] };
  const isBust = totalOf(state.player) > 21;
  return { state, reward: isBust ? -1 : 0, terminated: isBust, truncated: false, won: false };
}

const deck = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10] as const;
const suits = ['C', 'D', 'H', 'S'] as const;
const tenFaces = ['J', 'Q', 'K'] as const;

/** The published code draws another suit and face for the dealer's card when all are dealt, and shows neither. */
function dealt(draws: Draws): BlackjackState {
  const dealer = [drawnCard(draws), drawnCard(draws)] as const;
  const player = [drawnCard(draws), drawnCard(draws)];
  draws.integers(0, suits.length);
  if (dealer[0][0] === 10) draws.integers(0, tenFaces.length);
  return { dealer, player };
}

function drawnCard(draws: Draws): PlayingCard {
  const value = deck[draws.integers(0, deck.length)]!;
  const suit = suits[draws.integers(0, suits.length)]!;
  if (value === 10) return [value, tenFaces[draws.integers(0, tenFaces.length)]!, suit];
  return [value, value === 1 ? 'A' : String(value), suit];
}

function facts({ dealer, player }: BlackjackState): Facts {
  return {
    'Dealer Card': dealer.slice(0, 1),
    'Player Card': player,
    private: { 'Dealer Card': dealer },
  };
}

function published({ dealer, player }: BlackjackState): Facts {
  return { 'Dealer Card': dealer, 'Player Card': player };
}

function text({ dealer, player }: BlackjackState): string {
  return `Dealer's card: ${dealer[0]![1]}. Player's cards: ${player.map(([, face]) => face).join(', ')}.`;
}

let best: Strategy | null = null;

/** Maximizes the mean reward if a natural counts like any win. */
function expert({ dealer, player }: BlackjackState): number {
  best ??= bestStrategy('reward');
  return best({
    total: totalOf(player),
    usableAce: hasUsableAce(player),
    dealer: dealer[0]![0],
  });
}

/** An ace is called 1, even if it counts 11. */
function look(state: BlackjackState): Look {
  const { dealer, player } = state;
  const values = player.map(([value]) => value);
  const total = `${hasUsableAce(player) ? 'soft ' : ''}${totalOf(player)}`;
  return {
    fields: {},
    seen: `dealer ${dealer[0]![0]}, player ${values.join(' + ')} = ${total}`,
    conclusion: expert(state) === 0 ? 'enough' : 'more',
  };
}
