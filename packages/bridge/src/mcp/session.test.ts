/** Sessions at real MCP servers: one over HTTP in this process, one in a process of its own. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerLimits, LostEpisode } from '@emac/core';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openMcp } from './session.ts';

const schema = { type: 'object' as const, properties: { by: { type: 'integer' } }, required: ['by'] };

function deepList(levels: number): unknown {
  return levels === 0 ? [] : [deepList(levels - 1)];
}

/** A counter for each session; `called` hears every call. */
function counter(called: (name: string) => void): Server {
  let sum = 0;
  const server = new Server({ name: 'counter', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) =>
    // two pages, or no end of them
    isEndless
      ? { tools: [], nextCursor: 'more' }
      : params?.cursor === undefined
        ? { tools: [{ name: 'add', description: 'Adds.', inputSchema: schema }], nextCursor: 'more' }
        : { tools: [{ name: 'hang', inputSchema: { type: 'object' as const } }] },
  );
  server.setRequestHandler(CallToolRequestSchema, ({ params: { name, arguments: given } }) => {
    called(name);
    if (name === 'hang') return new Promise(() => {});
    if (name === 'deep') return { content: [], structuredContent: { deep: deepList(150) } };
    if (name === 'big') return { content: [{ type: 'text', text: 'x'.repeat(answerLimits.bytes) }] };
    const by = given?.['by'];
    if (typeof by !== 'number') return { isError: true, content: [{ type: 'text', text: 'No number.' }] };
    if (by < 0) throw new Error('It only rises.');
    sum += by;
    return { content: [{ type: 'text', text: `It is ${sum}.` }] };
  });
  return server;
}

const sessions = new Map<string, StreamableHTTPServerTransport>();
let isEndless = false;
/** hears a goodbye that gets no answer; null: goodbyes are answered */
let parted: (() => void) | null = null;
let heard: (name: string) => void = () => {};
let authorization: string | undefined;

async function transportOf(request: IncomingMessage): Promise<StreamableHTTPServerTransport> {
  const known = sessions.get(String(request.headers['mcp-session-id']));
  if (known) return known;
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    onsessioninitialized: (id) => void sessions.set(id, transport),
    onsessionclosed: (id) => void sessions.delete(id),
  });
  await counter((name) => heard(name)).connect(transport as Transport);
  return transport;
}

const http = createServer((request, response) => {
  authorization = request.headers.authorization;
  if (parted && request.method === 'DELETE') return parted();
  void transportOf(request).then((transport) => transport.handleRequest(request, response));
});
let address: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
});
afterAll(() => {
  http.closeAllConnections();
  http.close();
});
afterEach(() => void vi.useRealTimers());

const opened = (server = address) =>
  openMcp({ server, name: '--env mcp:counter', token: 'a-token-of-16-letters', seconds: 60 });
const add = (by: number) => ({ name: 'add', arguments: { by } });

describe('a session over HTTP', () => {
  it('lists all pages of tools, calls them, and is another one for every episode', async () => {
    const [one, other] = await Promise.all([opened(), opened()]);
    expect(one.tools).toEqual([
      { name: 'add', description: 'Adds.', parameters: schema },
      { name: 'hang', description: '', parameters: { type: 'object' } },
    ]);
    expect(authorization).toBe('Bearer a-token-of-16-letters');
    expect(await one.call(add(2))).toEqual({ text: 'It is 2.', isError: false });
    expect(await one.call(add(3))).toEqual({ text: 'It is 5.', isError: false });
    expect(await other.call(add(1))).toEqual({ text: 'It is 1.', isError: false });
    await Promise.all([one.close(), other.close()]);
    expect(sessions.size).toBe(0);
  });

  it('gives errors of a tool and of the protocol as texts', async () => {
    const session = await opened();
    expect(await session.call({ name: 'add', arguments: {} })).toEqual({
      text: 'No number.',
      isError: true,
    });
    expect(await session.call(add(-1))).toEqual({
      text: 'MCP error -32603: It only rises.',
      isError: true,
    });
    await session.close();
  });

  it('is lost, by name, where a call gets no answer', async () => {
    const session = await opened();
    const arrived = new Promise<string>((resolve) => (heard = resolve));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const call = session.call({ name: 'hang', arguments: {} });
    expect(await arrived).toBe('hang');
    vi.advanceTimersByTime(60_000);
    const fault = await call.catch((thrown: unknown) => thrown);
    expect(fault).toBeInstanceOf(LostEpisode);
    expect((fault as Error).message).toBe(
      '--env mcp:counter: the server gave no answer to a call of hang within 60 s; mend it, or raise EMAC_ENV_SECONDS',
    );
    vi.useRealTimers();
    await session.close();
  });

  it('ends although the server gives no answer to its goodbye', async () => {
    const session = await opened();
    const arrived = new Promise<void>((resolve) => (parted = resolve));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const closed = session.close();
    await arrived;
    parted = null;
    vi.advanceTimersByTime(2000);
    await closed;
  });

  it('is lost where the list of tools has no end', async () => {
    isEndless = true;
    const fault = await opened().catch((thrown: unknown) => thrown);
    isEndless = false;
    expect((fault as Error).message).toBe(
      '--env mcp:counter: the server failed: it lists more than 1000 tools, or 1000 pages, at tools/list',
    );
  });

  it('is lost where an answer is too deep, or larger than memory should hold', async () => {
    for (const [name, words] of [
      ['deep', 'the answer has more than 100 levels'],
      ['big', `the answer is larger than ${answerLimits.bytes} bytes`],
    ] as const) {
      const session = await openMcp({ server: address, name: 'mcp', token: null, seconds: 60 });
      const fault = await session.call({ name, arguments: {} }).catch((thrown: unknown) => thrown);
      expect(fault).toBeInstanceOf(LostEpisode);
      expect((fault as Error).message).toContain(words);
      await session.close();
    }
  });

  it('is lost where nobody listens', async () => {
    await expect(opened('http://127.0.0.1:9/mcp')).rejects.toThrow(
      /^--env mcp:counter: the server failed: .*, at the start$/,
    );
  });
});

/** Answers as MCP does: greets, lists `die`, which ends the process, and `see`, which shows its variables. */
const script = `
console.log('Welcome!');
process.stdin.setEncoding('utf8').on('data', (text) => text.trim().split('\\n').forEach((line) => {
  const { id, method, params } = JSON.parse(line);
  const reply = (result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
  if (method === 'initialize')
    reply({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } });
  if (method === 'tools/list')
    reply({ tools: ['die', 'see'].map((name) => ({ name, inputSchema: { type: 'object' } })) });
  if (method === 'tools/call' && params.name === 'see')
    reply({ content: [], structuredContent: { names: Object.keys(process.env) } });
  if (method === 'tools/call' && params.name === 'die') { console.error('Out of cheese.'); process.exit(3); }
}));
`;

describe('a session with a process', () => {
  it('shows it no variables but those of every program, and is lost when it ends', async () => {
    process.env['MCP_SECRET'] = 'x';
    const session = await opened(`${process.execPath} -e '${script.replaceAll("'", '"')}'`);
    delete process.env['MCP_SECRET'];
    const { text } = await session.call({ name: 'see', arguments: {} });
    expect(text).toContain('"PATH"');
    expect(text).not.toContain('MCP_SECRET');
    await expect(session.call({ name: 'die', arguments: {} })).rejects.toThrow(
      '--env mcp:counter: the server ended with code 3 (Out of cheese.), at a call of die',
    );
    await session.close();
  });

  it('is lost where a line has no end', async () => {
    await expect(opened('head -c 100000000 /dev/zero; sleep 600')).rejects.toThrow(
      `--env mcp:counter: the server wrote a line of more than ${answerLimits.bytes} bytes, at the start`,
    );
  });

  it('is lost where the command ends at once', async () => {
    await expect(opened('echo no such server >&2; exit 4')).rejects.toThrow(
      '--env mcp:counter: the server ended with code 4 (no such server), at the start',
    );
  });
});
