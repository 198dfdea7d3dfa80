/**
 * The routes of version 2, with their inputs and outputs. The application and the OpenAPI description are generated
 * from this table.
 */
import { z } from 'zod';
import { helloSchema, orderSchema, reportSchema, welcomeSchema } from './schemas.ts';

export interface Route {
  readonly path: string;
  readonly summary: string;
  /** null for GET */
  readonly takes: z.ZodType | null;
  readonly gives: z.ZodType;
  /** statuses and their reasons, besides those of every route */
  readonly refusals: Readonly<Record<number, string>>;
}

const busy = 'the server has too many requests or is shutting down: try again later';

/** Answers given before a route is reached. */
export const refusalsEverywhere = {
  400: 'this is not an HTTP request, or it was cut off',
  401: 'the token is missing or wrong',
  403: 'the address of the client, or the origin of its page, may not use the server',
  408: 'the request did not arrive in time',
  413: 'the body is too large',
  421: 'the server does not answer to the name in the `Host` header',
  431: 'the headers are too large',
  503: busy,
} as const satisfies Route['refusals'];

const badBody = {
  400: 'the body is not JSON, or was cut off',
  415: 'the body is not sent as application/json',
  422: 'a field is not as described; `param` names it',
};

const healthSchema = z.strictObject({ status: z.literal('ok') }).meta({ id: 'Health' });
const descriptionSchema = z.looseObject({ openapi: z.string() }).meta({ id: 'Description' });

/** Of a run with clients. */
export const routes = {
  healthz: {
    path: '/healthz',
    summary: 'Health of the server, also under load.',
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
  hello: {
    path: '/v2/hello',
    summary: 'A client introduces itself and lists the games that it can play.',
    takes: helloSchema,
    gives: welcomeSchema,
    refusals: {
      ...badBody,
      409: 'the run speaks the published wire with another client, or another client has described another environment, or the run has ended',
    },
  },
  next: {
    path: '/v2/next',
    summary:
      'A client reports the result of its order and gets the next order. The answer waits until there is one, or until `pollSeconds` have passed. A repeated report gets the same answer.',
    takes: reportSchema,
    gives: orderSchema,
    refusals: {
      ...badBody,
      404: 'unknown client, or it was considered gone: say hello again',
      409: 'the report is of another episode or step than the order',
      422: 'a field is not as described, or a picture cannot be decoded; `param` names it',
    },
  },
} as const satisfies Record<string, Route>;
