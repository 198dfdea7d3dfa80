/** The site over HTTP on this machine. */
import { serve } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import type { AddressInfo } from 'node:net';

export interface ServedSite {
  readonly address: string;
  close(): Promise<void>;
}

interface ServeOptions {
  /** whether its headers isolate the page from other origins, which threads need; default true */
  readonly isolated?: boolean;
}

/** Port 0: any that is free. */
export function serveSite(
  folder: string,
  port: number,
  { isolated = true }: ServeOptions = {},
): Promise<ServedSite> {
  const app = new Hono();
  if (isolated)
    app.use(async (context, next) => {
      await next();
      context.header('Cross-Origin-Opener-Policy', 'same-origin');
      context.header('Cross-Origin-Embedder-Policy', 'require-corp');
    });
  app.use(serveStatic({ root: folder }));
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port }, (bound: AddressInfo) =>
      resolve({
        address: `http://127.0.0.1:${bound.port}/`,
        close: () => new Promise((closed) => server.close(() => closed())),
      }),
    );
    server.once('error', reject);
  });
}
