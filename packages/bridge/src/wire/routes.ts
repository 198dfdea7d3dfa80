/** The routes of version 2: what each takes and answers. The application and the OpenAPI description are made from this table. */
import type { z } from 'zod';
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
  /** statuses, and when they come */
  readonly refusals: Readonly<Record<number, string>>;
}

const badBody = {
  400: 'the body is no JSON',
  415: 'the body is not sent as application/json',
  422: 'a field is not as described; `param` names it',
};

/** Of a run that clients connect to. */
export const routes = {
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

/** Of an environment that is offered at an address. */
export const environmentRoutes = {
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
    refusals: { ...badBody, 404: 'no such game', 503: 'as many episodes are under way as there may be' },
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
