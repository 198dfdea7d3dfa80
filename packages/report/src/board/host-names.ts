/** Names under which a board answers: a web page can point a name of its own at the board, but not an address. */
import { isIP } from 'node:net';
import { isLoopback, withoutBrackets } from '@emac/core';

/** Whether a board that listens on `host` answers a request for `name`, the `Host` header without its port. */
export function answersTo(name: string, host: string): boolean {
  if (isLoopback(name) || name === inAddress(host)) return true;
  return !isLoopback(host) && isIP(withoutBrackets(name)) !== 0;
}

/** As in an address: IPv6 in brackets, and for all addresses of a machine its own. */
export function inAddress(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return isIP(host) === 6 ? `[${host}]` : host;
}
