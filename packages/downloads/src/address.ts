/** Web addresses: parsed where they come in, and shown without parts that may be keys. */
import { EmacError } from '@emac/core';
import { sha256 } from '@emac/files';

/** Errors: `usage` for an invalid web address; `data` if the server at `base` redirected to it. */
export function webAddress(text: string, base?: URL): URL {
  const url = parsedUrl(text, base);
  if (url && isOfWeb(url)) return url;
  const shown = shownUrl(url ?? text);
  if (base)
    throw new EmacError(
      'data',
      `${shownUrl(base)}: redirects to ${JSON.stringify(shown.slice(0, 200))}, which is neither http nor https; give another address`,
    );
  throw new EmacError('usage', `${shown}: must be an address such as https://example.org/file.zip`);
}

/** Null for an invalid address. */
export function parsedUrl(text: string, base?: URL): URL | null {
  return URL.canParse(text, base?.href) ? new URL(text, base) : null;
}

/** True for http and https. */
export function isOfWeb({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'http:';
}

/**
 * An address for people, events and files: without name, password, query and fragment, any of which may be a key. Also accepts
 * invalid addresses, such as mistyped ones.
 */
export function shownUrl(address: URL | string): string {
  const url = typeof address === 'string' ? parsedUrl(address) : address;
  if (url && isOfWeb(url)) return `${url.origin}${url.pathname === '/' ? '' : url.pathname}`;
  return String(address)
    .replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, '$1')
    .replace(/[?#].*$/s, '');
}

/** Distinguishes addresses that may not be written down: SHA-256 of all but name, password and fragment. */
export function addressHash(text: string): string {
  const url = webAddress(text);
  return sha256(`${url.origin}${url.pathname}${url.search}`);
}
