/** Addresses that only this machine reaches. What cannot be read is none: servers trust on it. */

/** Whether a server at `host` is reachable from this machine only: `localhost`, 127.0.0.0/8 or ::1, also in brackets or as ::ffff:127.0.0.1. */
export function isLoopback(host: string): boolean {
  const bare = withoutBrackets(host).toLowerCase();
  if (bare === 'localhost' || isLoopbackOf4(bare)) return true;
  return bare.includes(':') && isLoopbackOf6(bare);
}

/** An IPv6 address as sockets want it, from the form of addresses of pages. */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}

function isLoopbackOf4(address: string): boolean {
  const parts = address.split('.');
  const isAddress =
    parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256);
  return isAddress && parts[0] === '127';
}

/** URL writes each address in one way, an IPv4 address inside as two groups: ::ffff:7f00:1. */
function isLoopbackOf6(address: string): boolean {
  if (!/^[\da-f:.]+$/.test(address) || !URL.canParse(`http://[${address}]`)) return false;
  return /^\[(::1|::ffff:7f[\da-f]{2}:[\da-f]{1,4})\]$/.test(new URL(`http://[${address}]`).hostname);
}
