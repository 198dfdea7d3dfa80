/** For any server behaviour, the file is complete and correct, or absent. */
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { sha256 } from '@emac/files';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  bytesOf,
  content,
  deadPort,
  serve,
  status,
  type Answering,
  type Served,
} from './breaking-server.test.support.ts';
import { openConnection, type Connection } from './connection.ts';
import { download, type DownloadOptions, type Wanted } from './download.ts';

const bytes = bytesOf(100_000);
const hash = sha256(bytes);
let folder: string;
let connection: Connection;
let server: Served | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'emac-download-'));
  connection = openConnection({}, { idleMs: 600_000 });
});
afterEach(async () => {
  await connection.close();
  await server?.close();
  server = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const target = () => join(folder, 'file');

async function fetched(
  answers: readonly Answering[],
  wanted: Partial<Wanted> = {},
  options: Partial<DownloadOptions> = {},
) {
  await server?.close();
  server = await serve(answers);
  return download({ url: server.url, ...wanted }, target(), {
    connection,
    retryDelayMs: 1,
    ...options,
    progress(done, total) {
      options.progress?.(done, total);
      server!.reached(done);
    },
  });
}

const ranges = () => server!.requests.map(({ headers }) => headers.range ?? null);

describe('a download', () => {
  it('writes the file, its length and its sha256, and leaves nothing beside it', async () => {
    expect(await fetched([content(bytes)])).toEqual({ path: target(), bytes: 100_000, sha256: hash });
    expect(readFileSync(target()).equals(bytes)).toBe(true);
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it('continues where it was cut, asking for the same content', async () => {
    await fetched([content(bytes, { cutAfter: 30_000 }), content(bytes, { cutAfter: 10 }), content(bytes)]);
    expect(readFileSync(target()).equals(bytes)).toBe(true);
    expect(ranges()[0]).toBeNull();
    expect(server!.requests.slice(1).every(({ headers }) => headers['if-range'] === '"one"')).toBe(true);
    expect(ranges()).toEqual([null, 'bytes=30000-', 'bytes=30010-']);
  });

  it.each([
    ['chunked, cut and gone on with', [content(bytes, { chunked: true, cutAfter: 50_000 }), content(bytes)]],
    [
      'a server that ignores ranges',
      [content(bytes, { cutAfter: 9 }), content(bytes, { ignoresRange: true })],
    ],
    ['500, then fine', [status(500), status(503, { 'retry-after': '0' }), content(bytes)]],
    ['too many requests, then fine', [status(429), content(bytes)]],
    ['no validator: from the beginning', [content(bytes, { etag: '', cutAfter: 9_000 }), content(bytes)]],
    ['cut before the first byte', [content(bytes, { cutAfter: 0 }), content(bytes)]],
  ] as const)('copes with %s', async (_what, answers) => {
    await fetched(answers);
    expect(readFileSync(target()).equals(bytes)).toBe(true);
  });

  it('restarts if the file changed between two parts', async () => {
    const other = bytesOf(100_000, 2);
    await fetched([content(bytes, { cutAfter: 60_000 }), content(other, { etag: '"two"' })]);
    expect(readFileSync(target()).equals(other)).toBe(true);
  });

  it('does not trust a part of another content from a server that ignores If-Range', async () => {
    const other = bytesOf(100_000, 2);
    const deaf: Answering = (request, response) => {
      delete request.headers['if-range'];
      content(other, { etag: '"two"' })(request, response);
    };
    await fetched([content(bytes, { cutAfter: 60_000 }), deaf]);
    expect(readFileSync(target()).equals(other)).toBe(true);
  });

  it('with a hash but no validator continues, and restarts if the parts do not match', async () => {
    const wanted = { sha256: hash };
    const old = bytesOf(100_000, 2);
    await fetched([content(old, { etag: '', cutAfter: 60_000 }), content(bytes, { etag: '' })], wanted);
    expect(readFileSync(target()).equals(bytes)).toBe(true);
    expect(ranges()).toEqual([null, 'bytes=60000-', null]);
  });

  it('follows redirects, and sends a key to its own host only', async () => {
    const elsewhere = await serve([content(bytes)]);
    try {
      await fetched(
        [status(302, { location: elsewhere.url })],
        {},
        { headers: { authorization: 'Bearer key' } },
      );
      expect(server!.requests[0]!.headers.authorization).toBe('Bearer key');
      expect(elsewhere.requests[0]!.headers.authorization).toBeUndefined();
    } finally {
      await elsewhere.close();
    }
  });

  it('reports progress up to the end', async () => {
    const heard: (readonly [number, number | null])[] = [];
    await fetched([content(bytes)], {}, { progress: (done, total) => void heard.push([done, total]) });
    expect(heard[0]).toEqual([0, 100_000]);
    expect(heard.at(-1)).toEqual([100_000, 100_000]);
  });

  it('keeps an existing correct file, and refuses to replace another', async () => {
    await fetched([content(bytes)], { sha256: hash });
    await fetched([status(500)], { sha256: hash });
    expect(server!.requests).toEqual([]);
    await expect(fetched([content(bytes)])).rejects.toMatchObject({ code: 'cannot-create' });
    writeFileSync(target(), 'mine');
    await expect(fetched([content(bytes)], { sha256: hash })).rejects.toMatchObject({
      code: 'cannot-create',
    });
    expect(readFileSync(target(), 'utf8')).toBe('mine');
    await fetched([content(bytes)], { sha256: hash }, { replace: true });
    expect(readFileSync(target()).equals(bytes)).toBe(true);
  });
});

describe('a download that cannot succeed', () => {
  const loop: Answering = (_request, response) => response.writeHead(302, { location: '/file' }).end();
  it.each<[string, readonly Answering[], Partial<Wanted>, string, RegExp]>([
    ['404', [status(404)], {}, 'missing', /does not exist \(status 404\)/],
    ['401', [status(401)], {}, 'auth', /does not exist or needs a key/],
    ['400', [status(400)], {}, 'unavailable', /status 400; check the address/],
    ['500 for ever', [status(500)], {}, 'unavailable', /status 500; 6 tries in a row failed/],
    ['a loop of redirects', [loop], {}, 'data', /more than 8 times/],
    [
      'another scheme',
      [status(302, { location: 'file:///etc/passwd' })],
      {},
      'data',
      /neither http nor https/,
    ],
    ['a wrong sha256', [content(bytes)], { sha256: sha256('x') }, 'data', /its sha256 is .*must be/],
    ['a smaller size', [content(bytes)], { size: 99_999 }, 'data', /has 100000 bytes, must have 99999/],
    [
      'more than was declared, in chunks',
      [content(bytes, { chunked: true })],
      { size: 99_999 },
      'data',
      /exceeds the limit of 99999 bytes/,
    ],
    [
      'less than was declared, in chunks',
      [content(bytes, { chunked: true })],
      { size: 100_001 },
      'data',
      /has 100000 bytes, must have 100001/,
    ],
    ['an unmarked end', [content(bytes, { untilClose: true })], {}, 'data', /must send the file.s length/],
    ['a coded body', [status(200, { 'content-encoding': 'gzip' })], {}, 'data', /encoded as gzip/],
  ])('reports one sentence and leaves no file: %s', async (_what, answers, wanted, code, message) => {
    const failed = fetched(answers, wanted);
    await expect(failed).rejects.toMatchObject({ code, message: expect.stringMatching(message) as string });
    expect(existsSync(target())).toBe(false);
  });

  it('wrong Content-Length: too short, the client truncates it and the hash fails; too long, it never ends', async () => {
    const lying =
      (length: number): Answering =>
      (_request, response) => {
        response.socket!.end(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n${'a'.repeat(100)}`);
      };
    const wanted = { sha256: sha256('a'.repeat(100)) };
    await expect(fetched([lying(50)], wanted)).rejects.toMatchObject({ code: 'data' });
    await expect(fetched([lying(150)], wanted)).rejects.toMatchObject({ code: 'unavailable' });
    expect(existsSync(target())).toBe(false);
  });

  it('checks disk space before requesting a byte', async () => {
    const huge: Answering = (_request, response) => {
      response.writeHead(200, { 'content-length': String(2 ** 49) });
      response.write('x');
    };
    const failed = fetched([huge], {}, { maxBytes: 2 ** 50 });
    await expect(failed).rejects.toMatchObject({
      code: 'io',
      message: expect.stringMatching(/needs .* MB of free space, there are/) as string,
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('rejects a longer file than allowed if the size is unknown', async () => {
    await expect(fetched([content(bytes)], {}, { maxBytes: 99_999 })).rejects.toMatchObject({ code: 'data' });
    const chunked = fetched([content(bytes, { chunked: true })], {}, { maxBytes: 99_999 });
    await expect(chunked).rejects.toMatchObject({ code: 'data' });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('reports a full disk in one sentence', async () => {
    // writing to /dev/full gives the error of a full disk
    symlinkSync('/dev/full', join(folder, `file.part-${process.pid}`));
    await expect(fetched([content(bytes)])).rejects.toMatchObject({
      code: 'io',
      message: expect.stringMatching(/ENOSPC.*free some space/) as string,
    });
    expect(existsSync(target())).toBe(false);
  });

  it('reports no network: no listener, or an unknown host', async () => {
    const silent = { url: `http://127.0.0.1:${await deadPort()}/file` };
    const options = { connection, retryDelayMs: 1, attempts: 2 };
    await expect(download(silent, target(), options)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/ECONNREFUSED.*2 tries in a row failed/) as string,
    });
    const unknown = { url: 'https://no-such-host.invalid/file' };
    await expect(download(unknown, target(), options)).rejects.toMatchObject({ code: 'unavailable' });
    await expect(download({ url: 'ftp://a/b' }, target(), options)).rejects.toMatchObject({ code: 'usage' });
  });

  it('treats silence as a broken connection', async () => {
    await connection.close();
    connection = openConnection({}, { idleMs: 50 });
    const slow: Answering = (_request, response) => {
      response.writeHead(200, { 'content-length': String(bytes.length), etag: '"one"' });
      response.write(bytes.subarray(0, 1000));
    };
    await fetched([slow, content(bytes)]);
    expect(readFileSync(target()).equals(bytes)).toBe(true);
    expect(ranges()).toEqual([null, 'bytes=1000-']);
  });

  it('stopped on request keeps its part, and the same call continues', async () => {
    const stop = new AbortController();
    const slow: Answering = (_request, response) => {
      response.writeHead(200, { 'content-length': String(bytes.length), etag: '"one"' });
      response.write(bytes.subarray(0, 70_000));
    };
    const progress = (done: number) => void (done === 70_000 && stop.abort());
    server = await serve([slow, content(bytes)]);
    const wanted = { url: server.url };
    const stopped = download(wanted, target(), { connection, signal: stop.signal, progress });
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
    expect(existsSync(target())).toBe(false);
    await download(wanted, target(), { connection });
    expect(readFileSync(target()).equals(bytes)).toBe(true);
    expect(ranges()[1]).toBe('bytes=70000-');
  });

  it('notes its part without name, password and query, and ties it to that query', async () => {
    const cut: Answering = content(bytes, { cutAfter: 40_000 });
    const { url } = (server = await serve([cut, status(404), content(bytes)]));
    const { reached } = server;
    const bring = (query: string) =>
      download({ url: `${url.replace('//', '//me:pass@')}?${query}` }, target(), {
        connection,
        retryDelayMs: 1,
        progress: reached,
      });
    await expect(bring('sig=secret')).rejects.toMatchObject({ code: 'missing' });
    const [note] = readdirSync(folder).filter((name) => name.endsWith('.json'));
    expect(readFileSync(join(folder, note!), 'utf8')).not.toMatch(/pass|secret/);
    await bring('sig=secret');
    expect(ranges()).toEqual([null, 'bytes=40000-', 'bytes=40000-']);

    rmSync(target());
    server.requests.length = 0;
    await expect(bring('file=one')).rejects.toMatchObject({ code: 'missing' });
    await bring('file=two');
    expect(ranges()).toEqual([null, 'bytes=40000-', null]);
  });

  it('does not take over the part of a running process, nor one of another address', async () => {
    writeFileSync(join(folder, `file.part-${process.ppid}`), 'another');
    writeFileSync(join(folder, `file.part-${process.ppid}.json`), '{"url":"x","validator":null}');
    writeFileSync(join(folder, `file.part-${process.pid}`), 'of another address');
    writeFileSync(join(folder, `file.part-${process.pid}.json`), '{"url":"http://a/","validator":null}');
    await fetched([content(bytes)]);
    expect(ranges()).toEqual([null]);
    expect(readFileSync(join(folder, `file.part-${process.ppid}`), 'utf8')).toBe('another');
  });
});

describe('any server behaviour', () => {
  const other = bytesOf(100_000, 2);
  const cut = fc.integer({ min: 0, max: 100_000 });
  const behaviour: fc.Arbitrary<Answering> = fc.oneof(
    fc
      .record({ cutAfter: cut, chunked: fc.boolean(), ignoresRange: fc.boolean() })
      .map((each) => content(bytes, each)),
    cut.map((cutAfter) => content(other, { etag: '"two"', cutAfter })),
    // the same validator for another content: only a hash can tell
    cut.map((cutAfter) => content(other, { cutAfter, ignoresRange: false })),
    fc.constantFrom(500, 503, 404, 302, 416, 206, 204).map((code) => status(code)),
    fc.constant(content(bytes)),
    fc.constant(content(bytes.subarray(0, 50_000), { etag: '' })),
  );

  it('leaves the file complete and correct, or absent; and a correct server delivers it in the end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(behaviour, { minLength: 1, maxLength: 6 }),
        fc.boolean(),
        async (answers, isSizeKnown) => {
          rmSync(target(), { force: true });
          const wanted = { sha256: hash, ...(isSizeKnown && { size: bytes.length }) };
          await fetched(answers, wanted).catch(() => {});
          if (existsSync(target())) expect(readFileSync(target()).equals(bytes)).toBe(true);
          await fetched([content(bytes)], wanted);
          expect(readFileSync(target()).equals(bytes)).toBe(true);
        },
      ),
      { numRuns: 60, seed: 7 },
    );
  });
});
