/**
 * An environment as an OpenEnv server: a session on each WebSocket at `/ws`, the protocol's routes over HTTP, and its
 * tasks by split. Over HTTP all clients share one session, because requests have no connection to keep one by.
 */
import type { OpenedKind } from '@emac/core';
import { Hono, type Context } from 'hono';
import { z } from 'zod';
import { jsonOf } from '../server/json-body.ts';
import { refused, RefusedRequest, type Refusal } from '../server/refusal.ts';
import type { Conversation, OpenConversation } from '../server/sockets.ts';
import { answerMessage, errorMessage, faultOf } from './answer.ts';
import { describe } from './description.ts';
import { answerRpc } from './mcp.ts';
import { givingWay, type Place } from './places.ts';
import {
  actionSchema,
  checked,
  observationSchema,
  resetSchema,
  stateSchema,
  type EnvelopeData,
} from './protocol.ts';
import { openSession, type Senses, type Session } from './session.ts';
import { addTaskRoutes } from './task-routes.ts';

export interface OpenEnvOptions {
  readonly kind: OpenedKind;
  /** one line about it, for people */
  readonly about: string;
  readonly version: string;
  /** sessions at a time; further ones are refused with CAPACITY_REACHED, unless one gives way (`places.ts`) */
  readonly sessions: number;
  readonly observe: Senses;
  /** a clock in milliseconds, by which the longest idle session gives way */
  readonly now: () => number;
}

export interface OpenEnvService {
  readonly fetch: (request: Request) => Response | Promise<Response>;
  readonly sockets: Readonly<Record<'/ws', OpenConversation>>;
  /** Leaves the episode over HTTP. */
  close(): Promise<void>;
}

/** The service as an application; see `listen`. */
export function openEnvService(options: OpenEnvOptions): OpenEnvService {
  let resets = 0;
  const open = () => openSession({ ...options, newNumber: () => resets++ });
  const shared = open();
  const app = appOf(options, inTurn(shared));
  return {
    fetch: (request) => app.fetch(request),
    sockets: { '/ws': conversations(options, open) },
    close: () => shared.close(),
  };
}

function conversations({ sessions: most, now }: OpenEnvOptions, open: () => Session): OpenConversation {
  const places = new Set<Place>();
  return (_url, address) => {
    const left = places.size < most ? null : givingWay([...places], { address, now: now() });
    if (places.size >= most && left === null) return full(most);
    // its place is free at once: the newcomer must not wait for its goodbye
    if (left) places.delete(left);
    left?.leave();
    const session = open();
    const over = new AbortController();
    const place: Place = { address, last: now(), isBusy: false, leave: () => over.abort() };
    places.add(place);
    return {
      over: over.signal,
      async answer(message) {
        place.isBusy = true;
        try {
          return await answerMessage(session, message);
        } finally {
          place.isBusy = false;
          place.last = now();
        }
      },
      async close() {
        // its place is free whatever leaving the episode runs into
        places.delete(place);
        await session.close();
      },
    };
  };
}

function full(most: number): Conversation {
  const message = `all ${most} sessions of this server are taken; try again later`;
  return {
    greeting: errorMessage('CAPACITY_REACHED', message, { active_sessions: most, max_sessions: most }),
    isOver: true,
    answer: async () => null,
    close: async () => {},
  };
}

/** Work of several requests, one after the other. */
type InTurn = <T>(work: (session: Session) => Promise<T>) => Promise<T>;

function inTurn(session: Session): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(() => work(session));
    last = result.catch(() => {});
    return result;
  };
}

function appOf({ kind, about, version }: OpenEnvOptions, withSession: InTurn): Hono {
  const app = new Hono();
  app.get('/health', (context) => context.json({ status: 'healthy' }));
  app.get('/metadata', (context) => context.json({ name: kind.id, description: about, version }));
  app.get('/schema', (context) => context.json(schemas));
  app.get('/openapi.json', (context) => context.json(describe(kind.id)));
  app.get('/state', async (context) => context.json(await withSession(async (session) => session.state())));
  app.post('/reset', async (context) => {
    const data = checked(resetSchema, await bodyIfAny(context), 'body');
    return context.json(await withSession((session) => session.reset(data)));
  });
  app.post('/step', async (context) => {
    const { action } = checked(stepSchema, await jsonOf(context.req.raw), 'body');
    return context.json(await withSession((session): Promise<EnvelopeData> => session.step(action)));
  });
  app.post('/mcp', async (context) => {
    const request = await jsonOf(context.req.raw).catch(() => undefined);
    return context.json(await withSession((session) => answerRpc(session, request)));
  });
  addTaskRoutes(app, kind);
  app.notFound(() => refused(notFound));
  app.onError((thrown) => {
    if (thrown instanceof RefusedRequest) return refused(thrown.refusal);
    const [code, message] = faultOf(thrown);
    return refused({ status: code === 'VALIDATION_ERROR' ? 422 : 500, code, message });
  });
  return app;
}

const stepSchema = z.looseObject({ action: actionSchema });

const schemas = {
  action: z.toJSONSchema(actionSchema),
  observation: z.toJSONSchema(observationSchema),
  state: z.toJSONSchema(stateSchema),
};

/** The body of a request, which may be left out. */
async function bodyIfAny({ req }: Context): Promise<unknown> {
  const isEmpty = (await req.raw.clone().arrayBuffer()).byteLength === 0;
  return isEmpty ? {} : jsonOf(req.raw);
}

const notFound: Refusal = {
  status: 404,
  code: 'not_found',
  message: 'Not found; see /openapi.json. A session is a WebSocket at /ws.',
};
