/**
 * Decides which requests are admitted. Without a token, the server answers only under host names that nobody else can
 * point at it. Otherwise a web page could reach it through a browser on this machine (DNS rebinding). Requests a
 * browser sends for another site's page are always refused.
 */
import { isIP } from 'node:net';
import { isLoopback, withoutBrackets } from '@emac/core';
import type { Refusal } from './refusal.ts';
import { showsToken } from './token.ts';

export interface Admission {
  /** the server's host */
  readonly host: string;
  /** null for none */
  readonly token: string | null;
  /** whether an address is allowed; null without an allow list */
  readonly allows: ((address: string) => boolean) | null;
}

/** The parts of a request that are checked. */
export interface Asking {
  readonly headers: Headers;
  /** the client's address; null if the connection is gone */
  readonly address: string | null;
}

/** The refusal of a request; null if admitted. */
export function notAdmitted({ headers, address }: Asking, admission: Admission): Refusal | null {
  const { token, allows } = admission;
  const isAllowed = address !== null && allows !== null && allows(address);
  const hasToken = token !== null && showsToken(headers.get('authorization'), token);
  if (token === null && allows && !isAllowed && !isHere(address)) return addressRefused;
  // an address cannot be rebound, and no page knows the token
  const isByName = token !== null && (hasToken || !isAllowed);
  if (!answersTo(headers.get('host') ?? '', { host: admission.host, isByName })) return hostRefused;
  if (isForeign(headers)) return originRefused;
  return token === null || hasToken || isAllowed ? null : tokenRefused;
}

const addressRefused: Refusal = {
  status: 403,
  code: 'address_not_allowed',
  message:
    'This address may not use the server; start the server with --allow and the address, or with a token.',
};
const hostRefused: Refusal = {
  status: 421,
  code: 'host_not_allowed',
  message: 'The server does not answer to the name in the Host header; use its IP address or localhost.',
};
const originRefused: Refusal = {
  status: 403,
  code: 'origin_not_allowed',
  message: 'The server rejects requests from pages of other origins.',
};
const tokenRefused: Refusal = {
  status: 401,
  code: 'invalid_api_key',
  message: 'The token is missing or wrong; send it as "Authorization: Bearer TOKEN".',
  headers: { 'www-authenticate': 'Bearer' },
};

function isHere(address: string | null): boolean {
  return address !== null && isLoopback(address);
}

interface Names {
  /** the server's host */
  readonly host: string;
  /** whether any host name is accepted */
  readonly isByName: boolean;
}

function answersTo(header: string, { host, isByName }: Names): boolean {
  const name = header.replace(/:\d+$/, '');
  if (isLoopback(name)) return true;
  if (isLoopback(host)) return false;
  return isByName || isIP(withoutBrackets(name)) !== 0;
}

/** True if the browser reports a page of another origin. */
function isForeign(headers: Headers): boolean {
  const origin = headers.get('origin');
  const site = headers.get('sec-fetch-site');
  return (
    (origin !== null && origin !== `http://${headers.get('host')}`) ||
    (site !== null && site !== 'same-origin' && site !== 'none')
  );
}
