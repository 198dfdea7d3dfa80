/** A session at an MCP server: its tools, and calls of them, one at a time. The server is a command or an address. */
import {
  answerLimits,
  cappedAnswer,
  EmacError,
  isWithinLevels,
  LostEpisode,
  messageOf,
  type Fact,
  type ToolCall,
} from '@emac/core';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ErrorCode, McpError, type CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { processTransport } from './process-transport.ts';
import { resultText } from './result-text.ts';

export interface McpTool {
  readonly name: string;
  readonly description: string;
  /** a JSON schema of the arguments */
  readonly parameters: { readonly [name: string]: Fact };
}

export interface McpResult {
  readonly text: string;
  /** the tool refused, or failed: the text says why */
  readonly isError: boolean;
}

export interface McpSession {
  readonly tools: readonly McpTool[];
  /** Errors: `LostEpisode` for a server that ended or gave no answer in time. */
  call(call: ToolCall): Promise<McpResult>;
  /** Ends a server that is a command, and all that it began. */
  close(): Promise<void>;
}

export interface McpOptions {
  /** an address that begins with http:// or https://, or a command line */
  readonly server: string;
  /** for people, in errors */
  readonly name: string;
  /** sent as `Authorization: Bearer` to an address; null for none */
  readonly token: string | null;
  /** longest time of one answer */
  readonly seconds: number;
}

/** True for an address in place of a command line. */
export function isMcpAddress(server: string): boolean {
  return /^https?:\/\//i.test(server);
}

/** Begins a session. Errors: `LostEpisode`, code `unavailable`, if the server does not begin or lists no tools. */
export async function openMcp({ server, name, token, seconds }: McpOptions): Promise<McpSession> {
  const { transport, ended, leave } = isMcpAddress(server) ? addressed(server, token) : commanded(server);
  const client = new Client({ name: 'emac', version: '0.1.0' });
  // a stream of events that fails is otherwise opened again, and the call waits on
  const tooLarge = new AbortController();
  client.onerror = ({ message }) => void (message.includes(largerThan) && tooLarge.abort(message));
  const options = { timeout: Math.min(1000 * seconds, 2 ** 31 - 1), signal: tooLarge.signal };
  const close = async (): Promise<void> => {
    await leave();
    await client.close();
  };
  const lost = (what: string, thrown: unknown): LostEpisode => {
    const isLarge = tooLarge.signal.aborted;
    const isLate = !isLarge && thrown instanceof McpError && thrown.code === Number(ErrorCode.RequestTimeout);
    const why = isLate
      ? `gave no answer to ${what} within ${seconds} s; mend it, or raise EMAC_ENV_SECONDS`
      : `${ended() ?? `failed: ${messageOf(thrown)}`}, at ${what}`;
    return new LostEpisode(`${name}: the server ${why}`, { cause: thrown });
  };
  try {
    await client.connect(transport, options).catch((thrown: unknown) => {
      throw lost('the start', thrown);
    });
    const tools = await listed(client, options).catch((thrown: unknown) => {
      throw lost('tools/list', thrown);
    });
    return {
      tools,
      async call({ name: tool, arguments: values }) {
        try {
          const result = await client.callTool(
            { name: tool, arguments: values as Record<string, unknown> },
            undefined,
            options,
          );
          return {
            text: resultText(ofFewLevels(result) as CallToolResult),
            isError: result.isError === true,
          };
        } catch (thrown) {
          // an error of the protocol, such as wrong arguments, is the caller's to read
          if (thrown instanceof McpError && ended() === null && !isOfTransport(thrown))
            return { text: thrown.message, isError: true };
          throw lost(`a call of ${tool}`, thrown);
        }
      },
      close,
    };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

const largerThan = `larger than ${answerLimits.bytes} bytes`;

function isOfTransport({ code }: McpError): boolean {
  return code === Number(ErrorCode.RequestTimeout) || code === Number(ErrorCode.ConnectionClosed);
}

/** of one server; a list of pages may have no end */
const mostTools = 1000;
const mostPages = 1000;

async function listed(client: Client, options: RequestOptions): Promise<readonly McpTool[]> {
  if (!client.getServerCapabilities()?.tools) return [];
  const tools: McpTool[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const page = ofFewLevels(await client.listTools(cursor === undefined ? {} : { cursor }, options));
    for (const { name, description = '', inputSchema } of page.tools)
      tools.push({ name, description, parameters: inputSchema as unknown as McpTool['parameters'] });
    if (tools.length > mostTools || ++pages > mostPages)
      throw new Error(`it lists more than ${mostTools} tools, or ${mostPages} pages`);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return tools;
}

/** Throws for a deeper answer: reading it calls itself for each level. */
function ofFewLevels<T>(answer: T): T {
  if (isWithinLevels(answer)) return answer;
  throw new Error(`the answer has more than ${answerLimits.levels} levels`);
}

interface Way {
  readonly transport: Transport;
  /** how a command ended; null while it runs, and for an address */
  ended(): string | null;
  /** Says goodbye, where the transport does not. */
  leave(): Promise<void>;
}

function commanded(command: string): Way {
  const transport = processTransport(command);
  return { transport, ended: () => transport.ended, leave: () => Promise.resolve() };
}

/** Errors: `usage` for what is no address. */
function addressed(address: string, token: string | null): Way {
  if (!URL.canParse(address))
    throw new EmacError('usage', `${address}: must be an address, such as http://127.0.0.1:3000/mcp`);
  const transport = new StreamableHTTPClientTransport(new URL(address), {
    fetch: async (url, init) => cappedAnswer(await fetch(url, init)),
    ...(token !== null && { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
  });
  return {
    transport: transport as Transport,
    ended: () => null,
    // a server that keeps sessions would keep this one
    leave: () => briefly(transport.terminateSession().catch(() => {})),
  };
}

/** milliseconds for a server to answer that a session is over */
const goodbyeMs = 2000;

/** Waits no longer than `goodbyeMs`. */
async function briefly(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, goodbyeMs)));
  await Promise.race([work, late]);
  clearTimeout(timer);
}
