/** The routes of version 2: what each takes and answers. The application and the OpenAPI description are made from this table. */
import { helloSchema, orderSchema, reportSchema, welcomeSchema } from './schemas.ts';

export const routes = {
  hello: {
    path: '/v2/hello',
    summary: 'A client introduces itself and says which games it can play.',
    takes: helloSchema,
    gives: welcomeSchema,
    refusals: {
      400: 'the body is no JSON',
      409: 'the run speaks the published wire with another client, or has ended',
      415: 'the body is not sent as application/json',
      422: 'a field is not as described; `param` names it',
    },
  },
  next: {
    path: '/v2/next',
    summary:
      'A client says what came of its order and gets the next one; the answer waits until there is one, or `pollSeconds` are over. A report that is sent again gets the same answer.',
    takes: reportSchema,
    gives: orderSchema,
    refusals: {
      400: 'the body is no JSON',
      404: 'no such client, or it was taken for gone: say hello again',
      409: 'the report is of another episode or step than the order',
      415: 'the body is not sent as application/json',
      422: 'a field is not as described, or a picture cannot be decoded; `param` names it',
    },
  },
} as const;
