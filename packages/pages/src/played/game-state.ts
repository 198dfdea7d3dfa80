/** The view of a game in a page, and its orders: one at a time. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { GameOrder, GamePlace, GameView } from '../data/played.ts';

/** Carries out an order, unless another one is under way. */
export type Carry = (order: GameOrder) => void;

/** What every part of the page gets. */
export interface Ordered {
  readonly view: GameView;
  readonly carry: Carry;
}

interface Shown {
  readonly view: GameView | null;
  readonly fault: string | null;
  readonly isBusy: boolean;
}

/** Pictures come once, so those of earlier views are kept. */
export function useGame(place: GamePlace): Shown & { readonly carry: Carry } {
  const [shown, setShown] = useState<Shown>({ view: null, fault: null, isBusy: true });
  const busy = useRef(false);
  const ask = async (order: GameOrder): Promise<void> => {
    if (busy.current) return;
    busy.current = true;
    setShown((before) => ({ ...before, isBusy: true }));
    const answer = await place(order).catch((thrown: unknown) => ({ fault: String(thrown) }));
    busy.current = false;
    setShown(({ view: before }) => {
      if ('fault' in answer) return { view: before, fault: answer.fault, isBusy: false };
      const pictures = { ...before?.pictures, ...answer.view.pictures };
      return { view: { ...answer.view, pictures }, fault: null, isBusy: false };
    });
  };
  useEffect(() => void ask({ kind: 'show' }), [place]);
  return { ...shown, carry: (order) => void ask(order) };
}
