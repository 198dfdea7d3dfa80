/** A server as other projects write them: messages by hand, so that nothing of ours decides its form. */
import { afterEach } from 'vitest';
import { listen, type Listening } from '../server/listen.ts';

type Json = Readonly<Record<string, unknown>>;

export interface Theirs {
  readonly schema: { readonly action: Json; readonly observation: Json };
  /** the data of an answer, or `{ error: code }` */
  readonly answer: (type: string, data: Json, session: number) => Json;
  /** answers of routes by path */
  readonly routes?: Json;
}

/** Serves until the end of the test; returns its name as an environment. */
export function theirServers() {
  const servers: Listening[] = [];
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });
  return async ({ schema, answer, routes = {} }: Theirs): Promise<string> => {
    let sessions = 0;
    const server = await listen({
      port: 0,
      fetch: (request) => {
        const { pathname } = new URL(request.url);
        const found = { '/schema': schema, ...routes }[pathname];
        return found === undefined ? new Response(null, { status: 404 }) : Response.json(found);
      },
      sockets: {
        '/ws': () => {
          const session = sessions++;
          return {
            answer: async (message) => {
              const { type, data = {} } = JSON.parse(message) as { type: string; data?: Json };
              if (type === 'state')
                return JSON.stringify({ type, data: { episode_id: null, step_count: 0 } });
              const given = answer(type, data, session);
              return JSON.stringify(
                'error' in given
                  ? { type: 'error', data: { code: given['error'], message: 'no' } }
                  : { type: 'observation', data: given },
              );
            },
            close: async () => {},
          };
        },
      },
    });
    servers.push(server);
    return `openenv:http://127.0.0.1:${server.port}`;
  };
}

/** A schema of these properties, all of them required. */
export const schemaOf = (properties: Json): Json => ({
  type: 'object',
  properties: { ...properties, metadata: { type: 'object' } },
  required: Object.keys(properties),
});
