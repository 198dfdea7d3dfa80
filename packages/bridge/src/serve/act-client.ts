/** Requests to `/v1/act` of one server, with checked replies. */
import { EmacError } from '@emac/core';
import { checkedReply, openConnection } from '../wire/connection.ts';
import { actReplySchema, type ActReply, type ActRequest } from './act-messages.ts';

export interface ActClientOptions {
  /** sent as `Authorization: Bearer`; null for none */
  readonly token?: string | null;
  /** milliseconds for request and answer; default two minutes */
  readonly timeoutMs?: number;
  /** retries of a question after a lost connection, or an overloaded server's stated wait; default 10 */
  readonly retries?: number;
}

const path = '/v1/act';

/**
 * Sends questions to the server at an address. Errors: `usage` for an invalid address; of the returned function: as
 * `connectPolicy`'s.
 */
export function actClient(
  url: string,
  { token = null, timeoutMs = 120_000, retries = 10 }: ActClientOptions,
): (request: ActRequest) => Promise<ActReply> {
  const address = addressOf(url);
  // short at first, since a lost connection needs no wait; ten tries give a server ten seconds to start again
  const options = { token, timeoutMs, retries, backoffMs: 10, retriesTimeouts: false };
  const { post } = openConnection(address, options);
  const read = (reply: unknown) => checkedReply(actReplySchema, reply, `${address}${path}`);
  return async (request) => (await post(path, request, read)).value;
}

function addressOf(url: string): string {
  const base = URL.canParse(url) ? new URL(url) : null;
  if (base === null || !/^https?:$/.test(base.protocol) || base.username !== '' || base.search !== '')
    throw new EmacError(
      'usage',
      `served agent: must be an address such as http://127.0.0.1:8700, got ${JSON.stringify(url)}`,
    );
  return `${base.origin}${base.pathname.replace(/\/+$/, '').replace(/\/v1$/, '')}`;
}
