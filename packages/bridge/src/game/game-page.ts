/** Pages on which a person plays, or labels states for a training. */
import type { GameOrder, GamePlace, TeachOrder, TeachPlace } from '@emac/pages/data';
import type { Hono } from 'hono';
import { z } from 'zod';
import { orderPage, type OrderPageOptions } from './order-page.ts';

type PageOptions<Place> = Pick<OrderPageOptions<unknown>, 'title' | 'token' | 'onFault'> & {
  readonly place: Place;
};

/** A game (`openGame` of `@emac/experiment`). Errors: as `orderPage`. */
export function gamePage(options: PageOptions<GamePlace>): Hono {
  return orderPage<GameOrder>({ ...options, name: 'game', orders: gameOrders });
}

/** A training that asks (`openTeaching` of `@emac/experiment`). Errors: as `orderPage`. */
export function teachPage(options: PageOptions<TeachPlace>): Hono {
  return orderPage<TeachOrder>({ ...options, name: 'teach', orders: teachOrders });
}

const command = z.string().max(10_000);
const set = z.enum(['training', 'heldOut']);
const number = z.number().int().nonnegative();
const gameOrders = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('show') }),
  z.strictObject({ kind: z.literal('begin'), set, number }),
  z.strictObject({ kind: z.literal('act'), command }),
  z.strictObject({ kind: z.literal('let'), by: z.enum(['policy', 'expert']) }),
  z.strictObject({ kind: z.literal('back'), step: number }),
  z.strictObject({ kind: z.literal('prefer'), chosen: command, rejected: command }),
  z.strictObject({ kind: z.literal('ask'), prompt: z.string().max(1_000_000) }),
  z.strictObject({ kind: z.literal('draw'), attempts: z.number().int().min(1).max(8) }),
  z.strictObject({ kind: z.literal('cover') }),
]);

const teachOrders = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('show'), unlike: number.nullable() }),
  z.strictObject({ kind: z.literal('label'), id: number, command }),
]);
