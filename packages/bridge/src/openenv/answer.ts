/** Messages of a client on a session's WebSocket, and their answers. */
import { messageOf } from '@emac/core';
import { answerRpc } from './mcp.ts';
import { actionSchema, checked, OpenEnvError, resetSchema, type ErrorCode } from './protocol.ts';
import type { Session } from './session.ts';

/** The answer to a message; null for one that ends the session. Faults become answers of type `error`. */
export async function answerMessage(session: Session, message: string): Promise<string | null> {
  try {
    const { type, data } = messageIn(message);
    if (type === 'close') return null;
    return JSON.stringify(await answerOf(session, type, data));
  } catch (thrown) {
    return errorMessage(...faultOf(thrown));
  }
}

/** An answer of type `error`. */
export function errorMessage(code: ErrorCode, message: string, more: object = {}): string {
  return JSON.stringify({ type: 'error', data: { message, code, ...more } });
}

/** A fault in the protocol's words: the client's, or the environment's. */
export function faultOf(thrown: unknown): [ErrorCode, string] {
  if (thrown instanceof OpenEnvError) return [thrown.code, thrown.message];
  return ['EXECUTION_ERROR', messageOf(thrown).slice(0, 1000)];
}

async function answerOf(session: Session, type: unknown, data: unknown): Promise<object> {
  switch (type) {
    case 'reset':
      return { type: 'observation', data: await session.reset(checked(resetSchema, data ?? {}, 'data')) };
    case 'step':
      return { type: 'observation', data: await session.step(checked(actionSchema, data, 'data')) };
    case 'state':
      return { type: 'state', data: session.state() };
    case 'mcp':
      return { type: 'mcp', data: await answerRpc(session, data) };
    default:
      throw new OpenEnvError(
        'UNKNOWN_TYPE',
        `type: must be reset, step, state, mcp or close, got ${String(JSON.stringify(type)).slice(0, 100)}`,
      );
  }
}

function messageIn(text: string): { readonly type?: unknown; readonly data?: unknown } {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    throw new OpenEnvError('INVALID_JSON', 'a message must be JSON');
  }
  if (typeof message === 'object' && message !== null && !Array.isArray(message)) return message;
  throw new OpenEnvError('VALIDATION_ERROR', 'a message must be an object with a type');
}
