/** A real HTTP server in place of the Hugging Face hub: it keeps pushed files as the hub does, large ones apart, and serves them. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

export interface HubServer {
  readonly address: string;
  /** by `organization/name` */
  readonly repositories: Map<string, Repository>;
}

export interface Repository {
  readonly visibility: string;
  readonly title: string | null;
  readonly files: ReadonlyMap<string, Buffer>;
}

const commit = 'd'.repeat(40);
const hash = (name: 'sha1' | 'sha256', bytes: Buffer) => createHash(name).update(bytes).digest('hex');

/** Accepts one key. Listens until the end of a file's tests. */
export async function hubServer(key: string): Promise<HubServer> {
  const repositories = new Map<string, Repository>();
  const large = new Map<string, Buffer>();
  let address = '';
  const answer = (request: IncomingMessage, body: Buffer, response: ServerResponse) => {
    const json = (status: number, value: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    const { pathname } = new URL(request.url!, address);
    if (pathname.startsWith('/large/')) {
      large.set(pathname.slice(7), body);
      return response.writeHead(200).end();
    }
    if (request.headers.authorization !== `Bearer ${key}`) return json(401, { error: 'Invalid credentials' });
    if (pathname === '/api/repos/create') {
      const { organization, name, visibility } = JSON.parse(body.toString()) as Record<string, string>;
      const id = `${organization}/${name}`;
      if (repositories.has(id)) return json(409, { error: 'You already created this repository' });
      repositories.set(id, { visibility: visibility!, title: null, files: new Map() });
      return json(200, { url: `${address}/${id}`, id });
    }
    const [, id, rest = 'revision/main'] = /^(?:\/api\/models)?\/([^/]+\/[^/]+?)(?:\.git)?(?:\/(.*))?$/.exec(
      pathname,
    )!;
    const repository = repositories.get(id!);
    if (!repository) return json(404, { error: 'Repository not found' });
    if (rest.startsWith('preupload')) {
      const { files } = JSON.parse(body.toString()) as { files: { path: string }[] };
      const modeOf = (path: string) => (path.endsWith('.safetensors') ? 'lfs' : 'regular');
      return json(200, { files: files.map(({ path }) => ({ path, uploadMode: modeOf(path) })) });
    }
    if (rest === 'info/lfs/objects/batch') {
      const { objects } = JSON.parse(body.toString()) as { objects: { oid: string; size: number }[] };
      const upload = (oid: string) => ({ upload: { href: `${address}/large/${oid}`, header: {} } });
      return json(200, {
        transfer: 'basic',
        objects: objects.map(({ oid, size }) => ({ oid, size, actions: upload(oid) })),
      });
    }
    if (rest === 'commit/main') {
      const lines = body
        .toString()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Line);
      const files = new Map(repository.files);
      let title = '';
      for (const { key: kind, value } of lines) {
        if (kind === 'header') title = value.summary!;
        if (kind === 'file') files.set(value.path!, Buffer.from(value.content!, 'base64'));
        if (kind === 'lfsFile') files.set(value.path!, large.get(value.oid!)!);
      }
      repositories.set(id!, { ...repository, title, files });
      return json(200, { commitOid: commit, commitUrl: `${address}/${id}/commit/${commit}`, hookOutput: '' });
    }
    if (rest.startsWith('revision/')) {
      const siblings = [...repository.files].map(([rfilename, bytes]) => ({
        rfilename,
        size: bytes.length,
        blobId: hash('sha1', Buffer.concat([Buffer.from(`blob ${bytes.length}\0`), bytes])),
        ...(rfilename.endsWith('.safetensors') && {
          lfs: { sha256: hash('sha256', bytes), size: bytes.length, pointerSize: 130 },
        }),
      }));
      return json(200, { id, modelId: id, sha: commit, private: false, tags: [], downloads: 0, siblings });
    }
    const bytes = repository.files.get(decodeURIComponent(rest.replace(/^resolve\/[^/]+\//, '')));
    if (!bytes) return json(404, { error: 'Entry not found' });
    const etag = `"${hash('sha256', bytes)}"`;
    response.writeHead(200, { etag, 'x-repo-commit': commit, 'content-length': bytes.length });
    return response.end(request.method === 'HEAD' ? undefined : bytes);
  };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => void answer(request, Buffer.concat(parts), response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { address, repositories };
}

interface Line {
  readonly key: string;
  readonly value: Readonly<Partial<Record<'summary' | 'path' | 'content' | 'oid', string>>>;
}
