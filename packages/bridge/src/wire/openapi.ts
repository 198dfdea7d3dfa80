/** The OpenAPI description of version 2, generated from its routes and schemas. */
import { z } from 'zod';
import { refusalsEverywhere, type Route } from './routes.ts';
import { refusalSchema, wireVersion } from './schemas.ts';

/** These routes in OpenAPI 3.1, with JSON Schemas. */
export function openapi(routes: Readonly<Record<string, Route>>): object {
  const { schemas: registered } = z.toJSONSchema(z.globalRegistry, {
    uri: (id) => `#/components/schemas/${id}`,
  });
  const paths = Object.fromEntries(Object.values(routes).map((route) => [route.path, pathOf(route)]));
  const schemas = new Map<string, object>();
  addNamed(paths, { registered, schemas });
  return {
    openapi: '3.1.0',
    info: { title: 'EMAC: worlds over HTTP', version: String(wireVersion) },
    // no token, if the server needs none
    security: [{}, { token: [] }],
    paths,
    components: {
      schemas: Object.fromEntries([...schemas].sort()),
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function pathOf({ summary, takes, gives, refusals }: Route): object {
  const refused = Object.entries({ ...refusalsEverywhere, ...refusals }).map(([status, description]) => [
    status,
    { description, ...content(refusalSchema) },
  ]);
  const responses = { 200: { description: 'the answer', ...content(gives) }, ...Object.fromEntries(refused) };
  if (!takes) return { get: { summary, responses } };
  return { post: { summary, requestBody: { required: true, ...content(takes) }, responses } };
}

function content(schema: z.ZodType) {
  const { id } = schema.meta()!;
  return { content: { 'application/json': { schema: { $ref: `#/components/schemas/${id}` } } } };
}

interface Named {
  readonly registered: Readonly<Record<string, Record<string, unknown>>>;
  /** schemas referred to so far */
  readonly schemas: Map<string, object>;
}

/** Adds every schema `part` refers to, recursively. */
function addNamed(part: object, { registered, schemas }: Named): void {
  for (const [, id] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (schemas.has(id!)) continue;
    const schema = plain(registered[id!]!);
    schemas.set(id!, schema);
    addNamed(schema, { registered, schemas });
  }
}

/** Removes name and dialect, which a component does not need. */
function plain({ $schema: _dialect, $id: _id, id: _name, ...schema }: Record<string, unknown>): object {
  return schema;
}
