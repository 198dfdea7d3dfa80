/** The exact return of greedy play, without sampling: Blackjack can be enumerated. */
import type { Policy, Prompt } from '@emac/core';
import { oddsOf, type Situation } from '@emac/gym-cards';

/** Mean return; null for other environments. */
export async function exactReturn(id: string, policy: Pick<Policy, 'decide'>): Promise<number | null> {
  if (id !== 'gym_cards/Blackjack-v0') return null;
  const situations = allSituations();
  const questions = situations.map((situation) => ({
    prompt: promptOf(situation),
    allowed: null,
    random: null,
  }));
  const answers = await policy.decide(questions, { kind: 'search', beams: 1 });
  const hits = new Map(situations.map((each, place) => [keyOf(each), answers[place]!.tokens[0]!]));
  const { win, lose } = oddsOf((situation) => hits.get(keyOf(situation))!);
  return win - lose;
}

function allSituations(): Situation[] {
  return Array.from({ length: 18 }, (_, place) => place + 4).flatMap((total) =>
    [false, true].flatMap((usableAce) =>
      Array.from({ length: 10 }, (_, place) => ({ total, usableAce, dealer: place + 1 })),
    ),
  );
}

/** As the environment shows a hand. */
function promptOf({ total, dealer, usableAce }: Situation): Prompt {
  const data = Int32Array.of(total, dealer, usableAce ? 1 : 0);
  return [{ kind: 'array', name: 'hand', values: { shape: [3], data } }];
}

function keyOf({ total, usableAce, dealer }: Situation): string {
  return `${total} ${usableAce} ${dealer}`;
}
