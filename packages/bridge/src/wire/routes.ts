/**
 * The routes of version 2, with their inputs and outputs. The application and the OpenAPI description are generated
 * from this table.
 */
import { z } from 'zod';
import {
  beginSchema,
  begunSchema,
  closedSchema,
  closeSchema,
  helloSchema,
  offeredSchema,
  orderSchema,
  reportSchema,
  steppedSchema,
  stepSchema,
  welcomeSchema,
} from './schemas.ts';

export interface Route {
  readonly path: string;
  readonly summary: string;
  /** null for GET */
  readonly takes: z.ZodType | null;
  readonly gives: z.ZodType;
  /** statuses and their reasons, besides those of every route */
  readonly refusals: Readonly<Record<number, string>>;
}

const busy = 'the server has too many requests or is about to end: ask again later';

/** Answers given before a route is reached. */
export const refusalsEverywhere = {
  400: 'what was sent is no HTTP request, or was cut off',
  401: 'the token is missing or wrong',
  403: 'the address of the client, or the page that it asks for, may not use the server',
  408: 'the request was not whole in time',
  413: 'the body is too large',
  421: 'the server does not answer to the name in the `Host` header',
  431: 'the headers are too large',
  503: busy,
} as const satisfies Route['refusals'];

const badBody = {
  400: 'the body is no JSON, or was cut off',
  415: 'the body is not sent as application/json',
  422: 'a field is not as described; `param` names it',
};

const healthSchema = z.strictObject({ status: z.literal('ok') }).meta({ id: 'Health' });
const descriptionSchema = z.looseObject({ openapi: z.string() }).meta({ id: 'Description' });

/** Shared by both. */
const common = {
  healthz: {
    path: '/healthz',
    summary: 'Whether the server is well, however busy it is.',
    takes: null,
    gives: healthSchema,
    refusals: {},
  },
  openapi: {
    path: '/openapi.json',
    summary: 'This description.',
    takes: null,
    gives: descriptionSchema,
    refusals: {},
  },
} as const satisfies Record<string, Route>;

/** Of a run with clients. */
export const routes = {
  ...common,
  hello: {
    path: '/v2/hello',
    summary: 'A client introduces itself and says which games it can play.',
    takes: helloSchema,
    gives: welcomeSchema,
    refusals: { ...badBody, 409: 'the run speaks the published wire with another client, or has ended' },
  },
  next: {
    path: '/v2/next',
    summary:
      'A client says what came of its order and gets the next one; the answer waits until there is one, or `pollSeconds` are over. A report that is sent again gets the same answer.',
    takes: reportSchema,
    gives: orderSchema,
    refusals: {
      ...badBody,
      404: 'no such client, or it was taken for gone: say hello again',
      409: 'the report is of another episode or step than the order',
      422: 'a field is not as described, or a picture cannot be decoded; `param` names it',
    },
  },
} as const satisfies Record<string, Route>;

/** Of an environment service. */
export const environmentRoutes = {
  ...common,
  games: {
    path: '/v2/games',
    summary: 'Every game that can be begun, in a fixed order.',
    takes: null,
    gives: offeredSchema,
    refusals: {},
  },
  begin: {
    path: '/v2/begin',
    summary: 'Begins an attempt. Equal game, seed and commands give equal observations.',
    takes: beginSchema,
    gives: begunSchema,
    refusals: {
      ...badBody,
      404: 'no such game',
      503: `as many episodes are under way as there may be, or ${busy}`,
    },
  },
  step: {
    path: '/v2/step',
    summary: 'Carries out a command. A step that is sent again gets the same answer.',
    takes: stepSchema,
    gives: steppedSchema,
    refusals: {
      ...badBody,
      404: 'no such episode, or it was closed because nothing was heard of it',
      409: 'the step is not the one after the last',
      424: 'the environment failed; the episode is closed',
    },
  },
  close: {
    path: '/v2/close',
    summary: 'Leaves an episode; one that is not there is left already.',
    takes: closeSchema,
    gives: closedSchema,
    refusals: badBody,
  },
} as const satisfies Record<string, Route>;
