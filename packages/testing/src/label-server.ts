/**
 * A real HTTP server that acts as a language model in tests; its answers depend only on the request. It stays open
 * until the process ends, and does not keep the process alive.
 */
import { createHash } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  /** the messages in order; the model's earlier ones are marked by `> ` */
  readonly text: string;
  /** data URLs of the pictures */
  readonly pictures: readonly string[];
  readonly temperature: number;
  /** API key of the run that asks, to recognise late requests of an abandoned run */
  readonly key: string;
  /** number of open requests when it arrived, itself included */
  readonly open: number;
  /** names of the tools that it may call */
  readonly tools: readonly string[];
  answer(content: string, end?: 'stop' | 'content_filter'): void;
  /** calls a tool with these arguments */
  call(name: string, given: string): void;
  refuse(status: number): void;
  /** answers with a web page, as proxies do */
  babble(): void;
}

export interface LabelServer {
  readonly baseUrl: string;
  /** every request, in order of arrival */
  readonly asked: readonly Asked[];
  /** texts of answered requests, in that order */
  readonly answered: readonly string[];
}

/** Passes every request to `answering`, to answer now or later. */
export async function labelServer(answering: (asked: Asked) => void): Promise<LabelServer> {
  const asked: Asked[] = [];
  const answered: string[] = [];
  let open = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const {
        messages,
        temperature,
        tools = [],
      } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Body;
      open++;
      const text = messages
        .map(({ role, content }) => (role === 'assistant' ? `> ${textOf(content)}` : textOf(content)))
        .join('\n');
      const say = (said: object, end: string): void => {
        open--;
        answered.push(text);
        const message = { role: 'assistant', ...said };
        const usage = { prompt_tokens: 10, completion_tokens: 3 };
        reply(response, 200, { choices: [{ index: 0, message, finish_reason: end }], usage });
      };
      const one: Asked = {
        text,
        pictures: messages.flatMap(({ content }) => picturesOf(content)),
        temperature,
        key: request.headers.authorization?.replace('Bearer ', '') ?? '',
        open,
        tools: tools.map((tool) => tool.function.name),
        answer: (content, end = 'stop') => say({ content }, end),
        call(name, given) {
          const call = { id: 'call-1', type: 'function', function: { name, arguments: given } };
          say({ content: null, tool_calls: [call] }, 'tool_calls');
        },
        refuse(status) {
          open--;
          reply(response, status, { error: { message: 'refused' } });
        },
        babble() {
          open--;
          response.end('<html>busy</html>');
        },
      };
      asked.push(one);
      answering(one);
    });
  });
  server.on('connection', (socket) => socket.unref());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}/v1`, asked, answered };
}

interface Body {
  readonly temperature: number;
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly messages: readonly { readonly role: string; readonly content: Content }[];
}

type Content = string | readonly { readonly text?: string; readonly image_url?: { readonly url: string } }[];

function textOf(content: Content): string {
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('');
}

function picturesOf(content: Content): string[] {
  return typeof content === 'string'
    ? []
    : content.flatMap(({ image_url: image }) => (image ? [image.url] : []));
}

function reply(response: ServerResponse, status: number, body: object): void {
  // tells clients to wait longer than a call may take: no test waits for a second attempt
  const later = status >= 500 ? { 'retry-after': '3600' } : {};
  response.writeHead(status, { 'content-type': 'application/json', ...later });
  response.end(JSON.stringify(body));
}

const commands = ['look', 'inventory', 'go to shelf 1', 'go to bed 1'] as const;

/** A command that depends on the question alone. */
export function commandFor(text: string): string {
  return commands[createHash('sha256').update(text).digest()[0]! % commands.length]!;
}
