/** The OpenAPI description of version 2, made from its routes and schemas. */
import { z } from 'zod';
import { routes } from './routes.ts';
import { refusalSchema, wireVersion } from './schemas.ts';

/** OpenAPI 3.1, whose schemas are JSON Schema. */
export function openapi(): object {
  const { schemas: registered } = z.toJSONSchema(z.globalRegistry, {
    uri: (id) => `#/components/schemas/${id}`,
  });
  const schemas = Object.fromEntries(Object.entries(registered).map(([id, schema]) => [id, plain(schema)]));
  const paths = Object.values(routes).map(({ path, summary, takes, gives, refusals }) => {
    const responses = {
      200: { description: 'the answer', ...content(gives) },
      ...Object.fromEntries(
        Object.entries(refusals).map(([status, description]) => [
          status,
          { description, ...content(refusalSchema) },
        ]),
      ),
    };
    return [path, { post: { summary, requestBody: { required: true, ...content(takes) }, responses } }];
  });
  return {
    openapi: '3.1.0',
    info: { title: 'EMAC: a world that runs elsewhere', version: String(wireVersion) },
    paths: Object.fromEntries(paths),
    components: { schemas },
  };
}

function content(schema: z.ZodType) {
  const { id } = schema.meta()!;
  return { content: { 'application/json': { schema: { $ref: `#/components/schemas/${id}` } } } };
}

/** A component needs no name and dialect of its own. */
function plain({ $schema: _dialect, $id: _id, id: _name, ...schema }: Record<string, unknown>): object {
  return schema;
}
