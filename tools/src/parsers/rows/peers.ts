/** Frames of OpenEnv and MCP on both sides: what our server is sent, and what a server of others says. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openEnvService, openMcp, openOpenEnv } from '@emac/bridge';
import type { Episode, OpenedKind, Step } from '@emac/core';
import { WebSocketServer } from 'ws';
import type { Parser } from '../try-inputs.ts';

interface PeerRows {
  readonly rows: Parser[];
  close(): Promise<void>;
}

export async function peerRows(): Promise<PeerRows> {
  const [openEnv, mcp, served] = [await openEnvAnswers(), await mcpAnswers(), servedFrames()];
  return {
    rows: [openEnv.row, mcp.row, ...served],
    close: async () => void (await Promise.all([openEnv.close(), mcp.close()])),
  };
}

const json = (...values: readonly object[]) => values.map((value) => Buffer.from(JSON.stringify(value)));

/** What a client of ours sends, and others may send otherwise. */
function servedFrames(): Parser[] {
  const { fetch, sockets } = openEnvService({
    kind: doors,
    about: 'two doors',
    version: '1',
    sessions: 1e9,
    observe: 'both',
    now: () => 0,
  });
  const conversation = sockets['/ws'](new URL('http://here/ws'), null);
  return [
    {
      name: 'openenv-message',
      isText: true,
      shape: 'document',
      share: 150,
      seeds: json(
        { type: 'reset', data: { seed: 3, episode_id: 'a', split: 'test', index: 1 } },
        { type: 'step', data: { action: 'left', metadata: { a: [1] } } },
        { type: 'state' },
        {
          type: 'mcp',
          data: {
            jsonrpc: '2.0',
            id: 1,
            method: 'tools/call',
            params: { name: 'act', arguments: { action: 'left' } },
          },
        },
      ),
      read: async (input) => {
        const answer = await conversation.answer(Buffer.from(input).toString('utf8'));
        // a fault of our own is told to nobody: it would end the connection
        if (answer !== null) JSON.parse(answer);
      },
    },
    {
      name: 'openenv-body',
      isText: true,
      shape: 'document',
      share: 50,
      seeds: json(
        { seed: 3, split: 'test' },
        { action: { action: 'left' } },
        { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        { split: 'train', start: 0, stop: 2 },
      ),
      read: async (input) => {
        for (const path of ['/reset', '/step', '/mcp', '/doors/tasks', '/doors/task_range', '/doors/task']) {
          const headers = { 'content-type': 'application/json' };
          const response = await fetch(
            new Request(`http://here${path}`, { method: 'POST', body: new Uint8Array(input), headers }),
          );
          await response.json();
          // before a reset there is no episode, which these two say so
          const isOurs = response.status >= 500 && path !== '/step' && path !== '/mcp';
          if (isOurs) throw new Error(`${path}: ${response.status}`);
        }
      },
    },
  ];
}

const doors: OpenedKind = {
  id: 'house/doors',
  maxSteps: 3,
  hasGoal: true,
  tasks: {
    training: { count: 3, at: (number) => ({ id: `near/${number}`, type: 'row' }) },
    heldOut: { count: null, at: (number) => ({ id: `far/${number}`, type: 'row' }) },
  },
  begin: async (task): Promise<Episode> => {
    const observation = {
      text: 'Two doors.',
      frames: [{ width: 1, height: 1, data: Uint8Array.of(1, 2, 3) }],
      arrays: { grid: { shape: [1, 2], data: Float32Array.of(0.5, 1) } },
      admissible: ['left', 'right'],
    };
    const step = async (): Promise<Step> => {
      return { observation, reward: 1, terminated: true, truncated: false, info: { won: true } };
    };
    return { task, first: observation, step, close: async () => {} };
  },
  speech: () => {
    throw new Error('no model here');
  },
};

interface Answers {
  readonly row: Parser;
  close(): Promise<void>;
}

const picture = {
  schema: {
    action: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    observation: {
      type: 'object',
      properties: {
        text: { type: 'string' },
        image: { type: 'array' },
        legal_actions: { type: 'array', items: { type: 'string' } },
        position: { type: 'array', items: { type: 'number' } },
      },
    },
  },
  metadata: { name: 'doors' },
  routes: {
    '/list_environments': ['doors'],
    '/doors/splits': [
      { name: 'train', type: 'train' },
      { name: 'test', type: 'test' },
    ],
    '/doors/num_tasks': { num_tasks: 2 },
    '/doors/tasks': { tasks: [{ id: 'a', type: 'row' }, { id: 'b' }] },
  },
  state: { episode_id: null, step_count: 0, max_steps: 4 },
  reset: {
    observation: { text: 'Doors.', image: [[[255, 0, 0]]], legal_actions: ['left'], position: [0.5, 1] },
    reward: null,
    done: false,
  },
  step: {
    observation: { text: 'Open.', image: [[[255, 0, 0]]], legal_actions: ['left'], position: [1, 1] },
    reward: 1,
    done: true,
    metadata: { won: true, truncated: false },
  },
};

/** A server whose every answer is from the input; bytes that are no JSON are every answer. */
async function openEnvAnswers(): Promise<Answers> {
  let said: Partial<typeof picture> | string = picture;
  const http = createServer((request, response) => {
    const { schema, metadata, routes = {} } = typeof said === 'string' ? {} : said;
    const found = { '/schema': schema, '/metadata': metadata, ...(routes as object) }[
      request.url!
    ] as unknown;
    response.setHeader('content-type', 'application/json');
    response.end(typeof said === 'string' ? said : JSON.stringify(found ?? null));
  });
  const sockets = new WebSocketServer({ server: http });
  sockets.on('connection', (socket) => {
    socket.on('error', () => {});
    socket.on('message', (message: Buffer) => {
      if (typeof said === 'string') return socket.send(said);
      const { type } = JSON.parse(message.toString()) as { readonly type: string };
      if (type === 'close') return socket.close();
      const answered = said[type as 'reset'] as unknown;
      socket.send(JSON.stringify({ type: type === 'state' ? 'state' : 'observation', data: answered }));
    });
  });
  const address = await listening(http);
  const read = async (input: Uint8Array): Promise<void> => {
    said = parsedOr(input) as typeof said;
    const options = { token: null, maxSteps: null, retryMs: 0, answerMs: 2000, wait: async () => {} };
    const env = await openOpenEnv(`openenv:${address}#sessions=1`, options);
    try {
      for (const source of [env.tasks.training, env.tasks.heldOut]) {
        const episode = await env.begin(source.at(0), 'seed');
        for (let step = 0; step < 2; step++) await episode.step(episode.first.admissible?.[0] ?? 'left');
        await episode.close();
      }
    } finally {
      await env.close();
    }
  };
  return {
    row: { name: 'openenv-answer', isText: true, shape: 'document', share: 5, seeds: json(picture), read },
    close: async () => {
      sockets.close();
      await closed(http);
    },
  };
}

const tools = {
  'tools/list': {
    tools: [
      {
        name: 'add',
        description: 'Adds.',
        inputSchema: { type: 'object', properties: { by: { type: 'integer' } }, required: ['by'] },
      },
    ],
  },
  'tools/call': {
    content: [
      { type: 'text', text: 'It is 2.' },
      { type: 'resource', resource: { uri: 'file:///a', text: 'a' } },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    ],
    structuredContent: { sum: 2 },
    isError: false,
  },
};

/** The same for MCP over HTTP. */
async function mcpAnswers(): Promise<Answers> {
  let said: Partial<typeof tools> | string = tools;
  const http = createServer((request, response) => {
    void bodyOf(request).then((text) => answered(JSON.parse(text || '{}') as Asked, response, said));
  });
  const server = `${await listening(http)}/mcp`;
  const read = async (input: Uint8Array): Promise<void> => {
    said = parsedOr(input) as typeof said;
    const session = await openMcp({ server, name: 'mcp', token: null, seconds: 2 });
    try {
      await session.call({ name: 'add', arguments: { by: 2 } });
    } finally {
      await session.close();
    }
  };
  return {
    row: { name: 'mcp-answer', isText: true, shape: 'document', share: 5, seeds: json(tools), read },
    close: () => closed(http),
  };
}

interface Asked {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly protocolVersion?: string };
}

function answered({ id, method, params }: Asked, response: ServerResponse, said: object | string): void {
  if (id === undefined) return void response.writeHead(202).end();
  const hello = {
    protocolVersion: params?.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'x', version: '1' },
  };
  const result = method === 'initialize' ? hello : (said as Readonly<Record<string, unknown>>)[method!];
  response.setHeader('content-type', 'application/json');
  const isText = typeof said === 'string' && method !== 'initialize';
  response.end(isText ? said : JSON.stringify({ jsonrpc: '2.0', id, result }));
}

/** The input as JSON; as text where it is none, or no object. */
function parsedOr(input: Uint8Array): object | string {
  const text = Buffer.from(input).toString('utf8');
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : text;
  } catch {
    return text;
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function listening(http: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

async function closed(http: ReturnType<typeof createServer>): Promise<void> {
  http.closeAllConnections();
  await new Promise((resolve) => http.close(resolve));
}
