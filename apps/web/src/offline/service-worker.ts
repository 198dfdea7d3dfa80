/**
 * The site without a network: its files are kept at the first visit, and answers come from there. Each is compared with the hash that the
 * site was built with before it is given out. Files of another version are used once no tab of the earlier one is open. Every answer also
 * isolates the page from other origins, which threads need and not every host says. What is not a file of the site is left to the network,
 * and if the address no longer has the site, the next visit finds what is there now.
 */
import { files, later, version } from './shipped-files.ts';

/** TypeScript has these for service workers alone. */
interface Extendable extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface Fetching extends Extendable {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}
interface ServiceWorkerScope {
  readonly clients: { claim(): Promise<void> };
  readonly registration: { readonly scope: string; unregister(): Promise<boolean> };
}

const { clients, registration } = globalThis as unknown as ServiceWorkerScope;

const prefix = `emac ${registration.scope} `;
const name = `${prefix}${version}`;

/** the host has another thing at this address */
let isGone = false;

addEventListener('install', (event) => (event as Extendable).waitUntil(keepFiles()));
addEventListener('activate', (event) => (event as Extendable).waitUntil(begin()));
addEventListener('fetch', (event) => {
  const fetching = event as Fetching;
  const path = fileOf(fetching.request);
  if (path === null || isGone) return;
  fetching.respondWith(answer(path));
  if (fetching.request.mode === 'navigate') fetching.waitUntil(leaveIfGone());
});

/** The path of a file of the site; null for what is none, such as another page of this host. */
function fileOf({ method, url }: Request): string | null {
  const { origin, pathname } = new URL(url);
  const asked = `${origin}${pathname}`;
  if (method !== 'GET' || !asked.startsWith(registration.scope)) return null;
  const path = asked.slice(registration.scope.length) || 'index.html';
  return Object.hasOwn(files, path) ? path : null;
}

async function keepFiles(): Promise<void> {
  const cache = await caches.open(name);
  const paths = Object.keys(files).filter((path) => !later.includes(path));
  await Promise.all(paths.map(async (path) => cache.put(path, await fetched(path))));
}

async function begin(): Promise<void> {
  const own = (await caches.keys()).filter((each) => each.startsWith(prefix));
  for (const other of own) if (other !== name) await caches.delete(other);
  await clients.claim();
}

/** From the cache, else from the server, and kept. Errors: those of `fetched`. */
async function answer(path: string): Promise<Response> {
  const cache = await caches.open(name);
  const found = await cache.match(path);
  const whole = found && (await compared(path, found));
  if (whole) return whole;
  const response = await fetched(path);
  await cache.put(path, response.clone());
  return response;
}

/** The server's file. Errors: `Error` if it has none of this version. */
async function fetched(path: string): Promise<Response> {
  // asks the server, since the browser may have a file of an earlier version
  const response = await fetch(path, { cache: 'no-cache' });
  if (!response.ok) throw new Error(`${path}: the site answers ${response.status}`);
  const whole = await compared(path, response);
  if (!whole) throw new Error(`${path}: is not the file that this version of the site was built with`);
  return whole;
}

/** The answer, isolated; null if its bytes have another hash. */
async function compared(path: string, response: Response): Promise<Response | null> {
  const bytes = await response.arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  const hash = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
  if (hash !== files[path]) return null;
  const headers = new Headers({
    'Content-Type': response.headers.get('Content-Type') ?? 'application/octet-stream',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Embedder-Policy': 'require-corp',
  });
  return new Response(bytes, { headers });
}

/** Nobody knows without network, or while the host has a fault. */
async function leaveIfGone(): Promise<void> {
  const response = await fetch('service-worker.js', { cache: 'no-store' }).catch(() => null);
  if (response === null || !isForeign(response)) return;
  isGone = true;
  await registration.unregister();
  for (const each of await caches.keys()) if (each.startsWith(prefix)) await caches.delete(each);
}

function isForeign({ status, ok, headers }: Response): boolean {
  return status === 404 || (ok && !/javascript/.test(headers.get('Content-Type') ?? ''));
}
