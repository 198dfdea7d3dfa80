/**
 * The desk for clients of version 2: it tracks connected clients, their orders and their reports. One client plays one
 * episode at a time; a program with several concurrent episodes says hello several times.
 *
 * A client is gone if it has no open request for `stepMs` after an answer. Either it was too slow with its order, or it
 * stopped asking.
 */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Described, Game, Hello, Order, Task, Welcome } from '../wire/schemas.ts';
import { wireVersion } from '../wire/schemas.ts';
import type { Reported } from '../wire/observation.ts';
import { deskError } from '../wire/desk-error.ts';
import type { Timer } from './timer.ts';

export interface DeskOptions {
  /** longest time a request for an order stays open */
  readonly pollMs: number;
  /** time limit between an answer and the client's next request */
  readonly stepMs: number;
  readonly timer: Timer;
  /** called for every client that arrives or is gone */
  readonly listen?: (event: ClientEvent) => void;
}

export interface ClientEvent {
  readonly kind: 'came' | 'gone';
  readonly client: string;
  readonly name: string;
  readonly pictures: boolean;
}

/** A connected client. */
export interface Client {
  readonly id: string;
  readonly name: string;
  readonly games: ReadonlyMap<string, Game>;
  readonly pictures: boolean;
  /** null for a client that lists its tasks */
  readonly environment: Described | null;
  /** Gives an order; resolves to its report. Errors: `Gone`. */
  ask(order: Task): Promise<Answered>;
  /** Frees it for another episode. */
  release(): void;
}

export type Answered = Exclude<Reported, { kind: 'nothing' }>;

/** The reason why an order gets no report. */
export class Gone extends Error {
  override readonly name = 'Gone';
}

export interface Desk {
  /** in order of arrival */
  clients(): readonly Client[];
  /** A free client for the game, preferably one that is asking for an order; null for none. */
  take(game: string): Client | null;
  /** Calls when a client arrives or becomes free, until the returned function is called. */
  onChange(call: () => void): () => void;
  hello(hello: Hello): Welcome;
  /** A client's next order. Errors: those of `deskError`. */
  next(report: Reported): Promise<Order>;
  /** Ends all orders from now on. */
  finish(): void;
}

interface Place extends Client {
  /** the order awaiting a report */
  order: Task | null;
  /** the last report */
  reported: { readonly episode: string; readonly step: number } | null;
  settle: { resolve(report: Answered): void; reject(gone: Gone): void } | null;
  isTaken: boolean;
  /** resolves the open request */
  answer: ((order: Order) => void) | null;
  /** cancels the client's time limit */
  cancel: () => void;
}

/** A desk without clients. */
export function openDesk(options: DeskOptions): Desk {
  const room: Room = { options, places: new Map(), changed: new Set(), isFinished: false };
  const { places, changed } = room;
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
    hello: (hello) => welcomed(room, hello),
    async next(report) {
      const place = places.get(report.client);
      if (place) return nextOrder(room, place, report);
      if (room.isFinished) return { do: 'finished' };
      throw deskError('unknown_client', 'The client is unknown, or was considered gone: say hello again.');
    },
    finish() {
      room.isFinished = true;
      for (const place of [...places.values()]) {
        place.answer?.({ do: 'finished' });
        leave(room, place, 'the run has ended');
      }
    },
  };
}

interface Room {
  readonly options: DeskOptions;
  readonly places: Map<string, Place>;
  /** listeners for arrivals and free clients */
  readonly changed: Set<() => void>;
  isFinished: boolean;
}

function welcomed(room: Room, hello: Hello): Welcome {
  const { pollMs, stepMs } = room.options;
  if (room.isFinished) throw deskError('finished', 'The run has ended.');
  requireRoom(room, hello);
  requireAlike(room, hello);
  const place = newPlace(room, hello);
  room.places.set(place.id, place);
  expectBack(room, place);
  tell(room, place, 'came');
  room.changed.forEach((call) => call());
  const seconds = { pollSeconds: pollMs / 1000, stepSeconds: stepMs / 1000 };
  return { version: wireVersion, client: place.id, ...seconds };
}

/** Limits of connected clients, and of games they list together. */
const most = { clients: 1024, games: 500_000 };

/** Environments of a run are alike. Errors: `other_environment`. */
function requireAlike({ places }: Room, { environment }: Hello): void {
  const [first] = places.values();
  if (first === undefined || isDeepStrictEqual(first.environment, environment ?? null)) return;
  throw deskError(
    'other_environment',
    `The client ${first.name} describes ${first.environment === null ? 'no environment' : 'another environment'}: all clients of a run describe the same one.`,
  );
}

/** Errors: `overloaded`. */
function requireRoom({ places }: Room, { games }: Hello): void {
  const listed = [...places.values()].reduce((sum, place) => sum + place.games.size, games.length);
  if (places.size >= most.clients || listed > most.games)
    throw deskError(
      'overloaded',
      `The server takes ${most.clients} clients and ${most.games} games in their lists; try again later.`,
    );
}

function newPlace(room: Room, { name, games, pictures, environment }: Hello): Place {
  const place: Place = {
    id: randomUUID(),
    name,
    games: new Map(games.map((game) => [game.id, game])),
    pictures,
    environment: environment ?? null,
    order: null,
    reported: null,
    settle: null,
    isTaken: false,
    answer: null,
    cancel: () => {},
    ask: (order) =>
      new Promise((resolve, reject) => {
        if (!room.places.has(place.id)) return reject(new Gone(`client ${name} has gone`));
        place.order = order;
        place.settle = { resolve, reject };
        place.answer?.(order);
      }),
    release() {
      Object.assign(place, { isTaken: false, order: null, settle: null });
      room.changed.forEach((call) => call());
    },
  };
  return place;
}

function leave(room: Room, place: Place, why: string): void {
  if (!room.places.delete(place.id)) return;
  place.cancel();
  place.settle?.reject(new Gone(why));
  place.settle = null;
  if (!room.isFinished) tell(room, place, 'gone');
}

function tell({ options }: Room, { id: client, name, pictures }: Place, kind: ClientEvent['kind']): void {
  options.listen?.({ kind, client, name, pictures });
}

/** Starts the client's time limit at an answer. */
function expectBack(room: Room, place: Place): void {
  const { stepMs, timer } = room.options;
  place.cancel();
  place.cancel = timer.after(stepMs, () =>
    leave(room, place, `client ${place.name} was silent for ${stepMs / 1000} s`),
  );
}

async function nextOrder(room: Room, place: Place, report: Reported): Promise<Order> {
  place.cancel();
  try {
    if (report.kind !== 'nothing') accept(place, report);
  } catch (thrown) {
    expectBack(room, place);
    throw thrown;
  }
  return answered(room, place);
}

/** Errors: those of `deskError`, for a report that does not fit the order. */
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
  // the answer to this report was lost
  if (reported?.episode === report.episode && reported.step === report.step) return;
  const wanted = order ? `step ${step} of episode ${order.episode}` : 'nothing';
  throw deskError(
    'out_of_step',
    `The report is of step ${report.step} of episode ${report.episode}, but the order was ${wanted}; ask with \`nothing\` for the order.`,
  );
}

/** Resolves to the next order. */
function answered(room: Room, place: Place): Promise<Order> {
  const { pollMs, timer } = room.options;
  // a newer request replaces an older one, whose connection may be gone
  place.answer?.({ do: 'wait' });
  return new Promise((resolve) => {
    const end = timer.after(pollMs, () => answer({ do: 'wait' }));
    const answer = (order: Order): void => {
      end();
      place.answer = null;
      expectBack(room, place);
      resolve(order);
    };
    place.answer = answer;
    if (room.isFinished) answer({ do: 'finished' });
    else if (place.order) answer(place.order);
  });
}
