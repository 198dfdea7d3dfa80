/**
 * The environment as a tool of the Model Context Protocol, in JSON-RPC: `act` does one action in the session's episode
 * and begins one where there is none.
 */
import { messageOf } from '@emac/core';
import { z } from 'zod';
import { actionSchema, checked, OpenEnvError, type EnvelopeData } from './protocol.ts';
import type { Session } from './session.ts';

const requestSchema = z.strictObject({
  jsonrpc: z.literal('2.0'),
  method: z.string(),
  params: z.record(z.string(), z.unknown()).default({}),
  id: z.union([z.string(), z.number()]).nullable().default(null),
});

/** of JSON-RPC 2.0 */
const codes = { parse: -32_700, request: -32_600, method: -32_601, params: -32_602, fault: -32_603 } as const;

/** The answer to a request as parsed from JSON; undefined stands for what is no JSON. */
export async function answerRpc(session: Session, request: unknown): Promise<object> {
  if (request === undefined) return failed(null, codes.parse, 'a request must be JSON');
  const parsed = requestSchema.safeParse(request);
  if (!parsed.success) return failed(null, codes.request, parsed.error.issues[0]!.message);
  const { id, method, params } = parsed.data;
  try {
    if (method === 'tools/list') return { jsonrpc: '2.0', id, result: { tools: [tool] } };
    if (method === 'tools/call') return { jsonrpc: '2.0', id, result: await called(session, params) };
    return failed(id, codes.method, `method: must be tools/list or tools/call, got ${method.slice(0, 100)}`);
  } catch (thrown) {
    const isTheirs = thrown instanceof OpenEnvError && thrown.code === 'VALIDATION_ERROR';
    return failed(id, isTheirs ? codes.params : codes.fault, messageOf(thrown).slice(0, 1000));
  }
}

function failed(id: string | number | null, code: number, message: string): object {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(actionSchema.pick({ action: true }));

const tool = { name: 'act', description: 'Does one action in the environment.', inputSchema };

async function called(session: Session, params: Readonly<Record<string, unknown>>): Promise<object> {
  if (params['name'] !== tool.name)
    throw new OpenEnvError(
      'VALIDATION_ERROR',
      `name: must be ${tool.name}, got ${JSON.stringify(params['name'])}`,
    );
  const action = checked(actionSchema, params['arguments'], 'arguments');
  if (session.state().task === null) await session.reset({});
  return blocks(await session.step(action));
}

function blocks({ observation, reward, done, metadata }: EnvelopeData): object {
  const { text, admissible, pictures } = observation;
  return {
    content: [
      { type: 'text', text },
      ...pictures.map((data) => ({ type: 'image', data, mimeType: 'image/png' })),
    ],
    structuredContent: { text, admissible, reward, done, metadata },
    isError: false,
  };
}
