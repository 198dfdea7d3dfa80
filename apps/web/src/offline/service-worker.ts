/**
 * The site without a network: all its files are kept at the first visit, and answers come from there. Files of another version are
 * used once no tab of the earlier one is open. Every answer also isolates the page from other origins, which threads need and not every
 * host says.
 */
import { files, version } from './shipped-files.ts';

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
}

const name = `emac-${version}`;

addEventListener('install', (event) => (event as Extendable).waitUntil(kept()));
addEventListener('activate', (event) => (event as Extendable).waitUntil(begun()));
addEventListener('fetch', (event) => {
  const { request } = event as Fetching;
  if (request.method === 'GET' && new URL(request.url).origin === location.origin)
    (event as Fetching).respondWith(answered(request));
});

async function kept(): Promise<void> {
  const cache = await caches.open(name);
  // asks the server, since the browser may have a file of an earlier version
  await cache.addAll(files.map((path) => new Request(path, { cache: 'no-cache' })));
}

async function begun(): Promise<void> {
  for (const other of await caches.keys()) if (other !== name) await caches.delete(other);
  await (globalThis as unknown as ServiceWorkerScope).clients.claim();
}

async function answered(request: Request): Promise<Response> {
  const cache = await caches.open(name);
  const found = await cache.match(request, { ignoreSearch: true });
  return isolated(found ?? (await fetch(request)));
}

function isolated(response: Response): Response {
  const headers = new Headers(response.headers);
  headers.set('Cross-Origin-Opener-Policy', 'same-origin');
  headers.set('Cross-Origin-Embedder-Policy', 'require-corp');
  const { status, statusText } = response;
  return new Response(response.body, { status, statusText, headers });
}
