/** The OpenAPI description of an OpenEnv server. */
import { z } from 'zod';
import { actionSchema, envelopeSchema, resetSchema, stateSchema } from './protocol.ts';

/** `env`: the environment's id. The version is that of the protocol's HTTP interface. */
export function describe(env: string): object {
  const step = z.looseObject({ action: actionSchema });
  return {
    openapi: '3.1.0',
    info: { title: `OpenEnv: ${env}`, version: '1.0.0' },
    // no token, if the server needs none
    security: [{}, { token: [] }],
    paths: {
      '/health': get('Health of the server, also under load.'),
      '/metadata': get('Name and description of the environment.'),
      '/schema': get('JSON Schemas of actions, observations and state.'),
      '/openapi.json': get('This description.'),
      '/state': get('State of the episode over HTTP.', stateSchema),
      '/reset': post(
        'Begin an episode in the session that all HTTP clients share.',
        resetSchema,
        envelopeSchema,
      ),
      '/step': post('Act in that episode.', step, envelopeSchema),
      '/mcp': post('JSON-RPC of the Model Context Protocol: tools/list, tools/call.', z.looseObject({})),
      '/list_environments': get('The name that the routes of tasks take.'),
      '/{env_name}/splits': get('Splits of the tasks.'),
      '/{env_name}/tasks': post('The tasks of a split.', z.looseObject({ split: z.string() })),
      '/{env_name}/num_tasks': post(
        'Their number; null: a task for every number.',
        z.looseObject({ split: z.string() }),
      ),
      '/{env_name}/task': post(
        'A task by its number.',
        z.looseObject({ split: z.string(), index: z.number() }),
      ),
      '/{env_name}/task_range': post('Tasks by their numbers.', z.looseObject({ split: z.string() })),
    },
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  };
}

function get(summary: string, gives?: z.ZodType): object {
  return { get: { summary, responses: responses(gives) } };
}

function post(summary: string, takes: z.ZodType, gives?: z.ZodType): object {
  return { post: { summary, requestBody: content(takes), responses: responses(gives) } };
}

function responses(gives: z.ZodType = z.unknown()): object {
  return { 200: { description: 'the answer', ...content(gives) } };
}

function content(schema: z.ZodType): object {
  const { $schema: _dialect, ...plain } = z.toJSONSchema(schema);
  return { content: { 'application/json': { schema: plain } } };
}
