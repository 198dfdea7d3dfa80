/** A real HTTP server that speaks as a language model in tests: it answers by what it is asked alone. It stays until the process ends, which does not wait for it. */
import { createHash } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  /** the messages, one after the other; what the model said before is marked by `> ` */
  readonly text: string;
  /** data URLs of the pictures beside it */
  readonly pictures: readonly string[];
  readonly temperature: number;
  /** of the run that asks, so that a request it has given up, and which comes late, is known as one of its own */
  readonly key: string;
  /** how many requests were open when it came, itself included */
  readonly open: number;
  answer(content: string, end?: 'stop' | 'content_filter'): void;
  refuse(status: number): void;
  /** a page in place of a reply, as proxies send it */
  babble(): void;
}

export interface LabelServer {
  readonly baseUrl: string;
  /** every request, in the order in which they came */
  readonly asked: readonly Asked[];
  /** texts that were answered, in that order */
  readonly answered: readonly string[];
}

/** Hands every request to `answering`, which answers it now or later. */
export async function labelServer(answering: (asked: Asked) => void): Promise<LabelServer> {
  const asked: Asked[] = [];
  const answered: string[] = [];
  let open = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { messages, temperature } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Body;
      open++;
      const text = messages
        .map(({ role, content }) => (role === 'assistant' ? `> ${textOf(content)}` : textOf(content)))
        .join('\n');
      const one: Asked = {
        text,
        pictures: messages.flatMap(({ content }) => picturesOf(content)),
        temperature,
        key: request.headers.authorization?.replace('Bearer ', '') ?? '',
        open,
        answer(content, end = 'stop') {
          open--;
          answered.push(text);
          const message = { role: 'assistant', content };
          const usage = { prompt_tokens: 10, completion_tokens: 3 };
          reply(response, 200, { choices: [{ index: 0, message, finish_reason: end }], usage });
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
  // a service that is down stays so for longer than a call may take: no test waits for a second attempt
  const later = status >= 500 ? { 'retry-after': '3600' } : {};
  response.writeHead(status, { 'content-type': 'application/json', ...later });
  response.end(JSON.stringify(body));
}

const commands = ['look', 'inventory', 'go to shelf 1', 'go to bed 1'] as const;

/** A command that follows from the question alone. */
export function commandFor(text: string): string {
  return commands[createHash('sha256').update(text).digest()[0]! % commands.length]!;
}
