/**
 * Where clients of version 2 come and go: who is there, what each is to do, and what it has reported. One client plays one
 * episode at a time; a program that wants several at once says hello several times.
 *
 * One rule tells who is gone: a client that has no request open for `stepMs` after an answer. It had an order to carry
 * out and was too slow, or it had to ask again and did not.
 */
import { randomUUID } from 'node:crypto';
import type { Game, Hello, Order, Task, Welcome } from '../wire/schemas.ts';
import { wireVersion } from '../wire/schemas.ts';
import type { Reported } from '../wire/observation.ts';
import { deskError } from '../wire/desk-error.ts';
import type { Timer } from './timer.ts';

export interface DeskOptions {
  /** longest answer to a request for an order */
  readonly pollMs: number;
  /** time between an answer and the next request of a client */
  readonly stepMs: number;
  readonly timer: Timer;
  /** hears of every client that comes, and of those that are taken for gone */
  readonly listen?: (event: ClientEvent) => void;
}

export interface ClientEvent {
  readonly kind: 'came' | 'gone';
  readonly client: string;
  readonly name: string;
  readonly pictures: boolean;
}

/** A client that is there. */
export interface Client {
  readonly id: string;
  readonly name: string;
  readonly games: ReadonlyMap<string, Game>;
  readonly pictures: boolean;
  /** Gives an order; what it reports. Errors: `Gone`. */
  ask(order: Task): Promise<Answered>;
  /** It is free for another episode. */
  release(): void;
}

export type Answered = Exclude<Reported, { kind: 'nothing' }>;

/** Why an order is not answered any more. */
export class Gone extends Error {
  override readonly name = 'Gone';
}

export interface Desk {
  /** in the order in which they came */
  clients(): readonly Client[];
  /** A free client that can play the game: one that waits for an order before others; null for none. */
  take(game: string): Client | null;
  /** Calls when somebody has come or is free again, until the returned function is called. */
  onChange(call: () => void): () => void;
  hello(hello: Hello): Welcome;
  /** What a client is to do next. Errors: those of `deskError`. */
  next(report: Reported): Promise<Order>;
  /** From now on there is nothing to do. */
  finish(): void;
}

interface Place extends Client {
  /** what is to be reported on */
  order: Task | null;
  /** what was reported last */
  reported: { readonly episode: string; readonly step: number } | null;
  settle: { resolve(report: Answered): void; reject(gone: Gone): void } | null;
  isTaken: boolean;
  /** ends the request that is open */
  answer: ((order: Order) => void) | null;
  /** of the time in which it has to ask again */
  cancel: () => void;
}

export function openDesk({ pollMs, stepMs, timer, listen }: DeskOptions): Desk {
  const places = new Map<string, Place>();
  const changed = new Set<() => void>();
  let isFinished = false;
  const tellChange = () => [...changed].forEach((call) => call());

  const leave = (place: Place, why: string): void => {
    if (!places.delete(place.id)) return;
    place.cancel();
    place.settle?.reject(new Gone(why));
    place.settle = null;
    listen?.({ kind: 'gone', client: place.id, name: place.name, pictures: place.pictures });
  };
  const expectBack = (place: Place): void => {
    place.cancel();
    const seconds = stepMs / 1000;
    place.cancel = timer.after(stepMs, () =>
      leave(place, `client ${place.name} has not been heard of for ${seconds} s`),
    );
  };

  function placeOf({ name, games, pictures: sends }: Hello): Place {
    const place: Place = {
      id: randomUUID(),
      name,
      games: new Map(games.map((game) => [game.id, game])),
      pictures: sends,
      order: null,
      reported: null,
      settle: null,
      isTaken: false,
      answer: null,
      cancel: () => {},
      ask: (order) =>
        new Promise((resolve, reject) => {
          if (!places.has(place.id)) return reject(new Gone(`client ${name} has gone`));
          place.order = order;
          place.settle = { resolve, reject };
          place.answer?.(order);
        }),
      release() {
        place.isTaken = false;
        place.order = null;
        place.settle = null;
        tellChange();
      },
    };
    return place;
  }

  function accept(place: Place, report: Answered): void {
    const { order, reported } = place;
    const step = order?.do === 'step' ? order.step : 0;
    const isOrdered = order !== null && report.episode === order.episode && report.step === step;
    if (isOrdered && (report.kind === 'failed' || (report.kind === 'begun') === (order.do === 'begin'))) {
      const { settle } = place;
      place.reported = { episode: report.episode, step };
      [place.order, place.settle] = [null, null];
      settle!.resolve(report);
      return;
    }
    // the answer to it was lost on its way
    if (reported?.episode === report.episode && reported.step === report.step) return;
    const wanted = order ? `step ${step} of episode ${order.episode}` : 'nothing';
    throw deskError(
      'out_of_step',
      `The report is of step ${report.step} of episode ${report.episode}, and ${wanted} was asked for; ask with \`nothing\` for the order.`,
    );
  }

  function answered(place: Place): Promise<Order> {
    // a newer request stands for an older one whose connection may be gone
    place.answer?.({ do: 'wait' });
    return new Promise((resolve) => {
      const end = timer.after(pollMs, () => answer({ do: 'wait' }));
      const answer = (order: Order): void => {
        end();
        place.answer = null;
        expectBack(place);
        resolve(order);
      };
      place.answer = answer;
      if (isFinished) answer({ do: 'finished' });
      else if (place.order) answer(place.order);
    });
  }

  return {
    clients: () => [...places.values()],
    take(game) {
      const free = [...places.values()].filter((place) => !place.isTaken && place.games.has(game));
      const place = free.find(({ answer }) => answer !== null) ?? free[0];
      if (!place) return null;
      place.isTaken = true;
      return place;
    },
    onChange(call) {
      changed.add(call);
      return () => changed.delete(call);
    },
    hello(hello) {
      if (isFinished) throw deskError('finished', 'The run has ended.');
      const place = placeOf(hello);
      places.set(place.id, place);
      expectBack(place);
      listen?.({ kind: 'came', client: place.id, name: place.name, pictures: place.pictures });
      tellChange();
      const seconds = { pollSeconds: pollMs / 1000, stepSeconds: stepMs / 1000 };
      return { version: wireVersion, client: place.id, ...seconds };
    },
    async next(report) {
      const place = places.get(report.client);
      if (!place && isFinished) return { do: 'finished' };
      if (!place)
        throw deskError(
          'unknown_client',
          'No such client is known, or it was taken for gone: say hello again.',
        );
      place.cancel();
      try {
        if (report.kind !== 'nothing') accept(place, report);
      } catch (thrown) {
        expectBack(place);
        throw thrown;
      }
      return answered(place);
    },
    finish() {
      isFinished = true;
      for (const place of [...places.values()]) {
        place.answer?.({ do: 'finished' });
        leave(place, 'the run has ended');
      }
    },
  };
}
