/** Blackjack reckoned through: the chances of every hand against every card of the dealer, and the best way to play. No natural counts more. */

export interface Odds {
  readonly win: number;
  readonly draw: number;
  readonly lose: number;
}

/** A player's knowledge. */
export interface Situation {
  /** an ace counts 11 if possible */
  readonly total: number;
  readonly usableAce: boolean;
  /** value of the dealer's card that is seen; 1 for an ace */
  readonly dealer: number;
}

/** The probability of hitting. */
export type Strategy = (situation: Situation) => number;

/** Cards with aces as 1. */
interface Held {
  readonly sum: number;
  readonly hasAce: boolean;
}

const values = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] as const;
const nothing: Odds = { win: 0, draw: 0, lose: 0 };
const lost: Odds = { win: 0, draw: 0, lose: 1 };

/** The strategy's chances over all deals. */
export function oddsOf(strategy: Strategy): Odds {
  return overDeals(decidedBy(strategy));
}

/** Hits if that is better: for the mean reward, or for the share of wins. */
export function bestStrategy(aim: 'reward' | 'wins'): Strategy {
  const worth = aim === 'wins' ? ({ win }: Odds) => win : ({ win, lose }: Odds) => win - lose;
  const hits = new Map<string, boolean>();
  const choose: Choice = (situation, ifStood, ifHit) => {
    const hit = ifHit();
    const isBetter = worth(hit) > worth(ifStood);
    hits.set(keyOf(situation), isBetter);
    return isBetter ? hit : ifStood;
  };
  overDeals(choose);
  return (situation) => (hits.get(keyOf(situation)) ? 1 : 0);
}

type Choice = (situation: Situation, ifStood: Odds, ifHit: () => Odds) => Odds;

function decidedBy(strategy: Strategy): Choice {
  return (situation, ifStood, ifHit) => {
    const hitting = strategy(situation);
    if (hitting === 0) return ifStood;
    return mixed([
      [1 - hitting, ifStood],
      [hitting, ifHit()],
    ]);
  };
}

function keyOf({ total, usableAce, dealer }: Situation): string {
  return `${total} ${usableAce} ${dealer}`;
}

function overDeals(choose: Choice): Odds {
  const oddsFrom = oddsOfPlaying(choose);
  const deals = values.flatMap((first) =>
    values.flatMap((second) => values.map((dealer) => [first, second, dealer] as const)),
  );
  return mixed(
    deals.map(([first, second, dealer]) => [
      chanceOf(first) * chanceOf(second) * chanceOf(dealer),
      oddsFrom(withCard(withCard({ sum: 0, hasAce: false }, first), second), dealer),
    ]),
  );
}

/** Each hand is reckoned once for each card of the dealer. */
function oddsOfPlaying(choose: Choice): (held: Held, dealer: number) => Odds {
  const known = new Map<string, Odds>();
  const oddsFrom = (held: Held, dealer: number): Odds => {
    const key = `${held.sum} ${held.hasAce} ${dealer}`;
    const before = known.get(key);
    if (before) return before;
    const situation = { total: totalOf(held), usableAce: held.hasAce && held.sum <= 11, dealer };
    const ifHit = (): Odds =>
      mixed(
        values.map((card) => {
          const next = withCard(held, card);
          return [chanceOf(card), next.sum > 21 ? lost : oddsFrom(next, dealer)];
        }),
      );
    const odds = choose(situation, oddsOfStanding(situation.total, dealer), ifHit);
    known.set(key, odds);
    return odds;
  };
  return oddsFrom;
}

function oddsOfStanding(total: number, dealer: number): Odds {
  return mixed(
    [...finalScores(withCard({ sum: 0, hasAce: false }, dealer))].map(([score, chance]) => [
      chance,
      {
        win: Number(total > score),
        draw: Number(total === score),
        lose: Number(total < score),
      },
    ]),
  );
}

const scores = new Map<string, ReadonlyMap<number, number>>();

/** A dealer's final totals with these cards, 0 for over 21, and their probabilities. */
function finalScores(held: Held): ReadonlyMap<number, number> {
  const key = `${held.sum} ${held.hasAce}`;
  const known = scores.get(key);
  if (known) return known;
  const total = totalOf(held);
  const chances = new Map<number, number>();
  if (total >= 17) chances.set(total > 21 ? 0 : total, 1);
  else
    for (const card of values)
      for (const [score, chance] of finalScores(withCard(held, card)))
        chances.set(score, (chances.get(score) ?? 0) + chanceOf(card) * chance);
  scores.set(key, chances);
  return chances;
}

function withCard({ sum, hasAce }: Held, card: number): Held {
  return { sum: sum + card, hasAce: hasAce || card === 1 };
}

function totalOf({ sum, hasAce }: Held): number {
  return hasAce && sum <= 11 ? sum + 10 : sum;
}

/** Four of thirteen cards are worth ten. */
function chanceOf(card: number): number {
  return card === 10 ? 4 / 13 : 1 / 13;
}

function mixed(parts: readonly (readonly [chance: number, odds: Odds])[]): Odds {
  return parts.reduce<Odds>(
    (all, [chance, odds]) => ({
      win: all.win + chance * odds.win,
      draw: all.draw + chance * odds.draw,
      lose: all.lose + chance * odds.lose,
    }),
    nothing,
  );
}
