/**
 * MCP over standard input and output: JSON-RPC, a message a line (specification 2025-11-25, transports). Departures from the SDK's own
 * transport: the shell runs the command line, and the server ends with every process that it began.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

export interface ProcessTransport extends Transport {
  /** How the process ended, such as `ended with code 1 (no such file)`; null while it runs. */
  readonly ended: string | null;
}

/** characters of its errors that are kept: servers greet there, and only the last line of one that failed is told */
const toldCharacters = 300;

/** milliseconds for a server to end by itself once its input is closed */
const graceMs = 2000;

/** Runs nothing until `start`. Of this process's variables the server gets HOME, LOGNAME, PATH, SHELL, TERM and USER alone. */
export function processTransport(command: string): ProcessTransport {
  const buffer = new ReadBuffer();
  let child: ChildProcess | null = null;
  let closed: Promise<void> = Promise.resolve();
  let ended: string | null = null;
  let told = '';
  const transport: ProcessTransport = {
    get ended() {
      return ended;
    },
    start: () =>
      new Promise((resolve, reject) => {
        const started = spawn(command, {
          shell: true,
          // a group of its own, so that it ends with all that it began
          detached: process.platform !== 'win32',
          stdio: ['pipe', 'pipe', 'pipe'],
          env: getDefaultEnvironment(),
        });
        child = started;
        started.on('spawn', resolve);
        started.on('error', reject);
        started.stdin.on('error', () => {});
        started.stdout.on('data', (chunk: Buffer) => read(transport, buffer, chunk));
        started.stderr.setEncoding('utf8').on('data', (text: string) => {
          told = (told + text).slice(-toldCharacters);
        });
        closed = new Promise((settle) => {
          started.on('close', (code, signal) => {
            ended = endOf({ code, signal }, told);
            settle();
            transport.onclose?.();
          });
        });
      }),
    async send(message) {
      child?.stdin?.write(serializeMessage(message));
    },
    async close() {
      child?.stdin?.end();
      const late = setTimeout(() => {
        killGroup(child);
        // a process that has left the group may hold the output for as long as it likes
        child?.stdout?.destroy();
        child?.stderr?.destroy();
      }, graceMs);
      await closed;
      clearTimeout(late);
      // what it left running without its output
      killGroup(child);
    },
  };
  return transport;
}

/** A line that is no message, such as a greeting on standard output, is passed over. */
function read(transport: Transport, buffer: ReadBuffer, chunk: Buffer): void {
  try {
    buffer.append(chunk);
  } catch (thrown) {
    transport.onerror?.(thrown as Error);
    return;
  }
  for (;;) {
    let message: JSONRPCMessage | null;
    try {
      message = buffer.readMessage();
    } catch {
      continue;
    }
    if (message === null) return;
    transport.onmessage?.(message);
  }
}

/** Also after the shell itself has ended: what it began may hold its output. */
function killGroup(child: ChildProcess | null): void {
  if (child?.pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL');
  } catch {
    // all of it has ended by itself
  }
}

function endOf({ code, signal }: { code: number | null; signal: string | null }, told: string): string {
  const how = code === null ? `was ended by ${signal}` : `ended with code ${code}`;
  const why = told.trim().split('\n').at(-1)!;
  return why === '' ? how : `${how} (${why})`;
}
