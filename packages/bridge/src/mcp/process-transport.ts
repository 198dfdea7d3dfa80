/**
 * MCP over standard input and output: JSON-RPC, a message a line (specification 2025-11-25, transports). Departures from the SDK's own
 * transport: the shell runs the command line, and the server ends with every process that it began.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { answerLimits } from '@emac/core';
import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js';
import { deserializeMessage, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
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
  const lines = lineReader();
  let child: ChildProcess | null = null;
  let closed: Promise<void> = Promise.resolve();
  let ended: string | null = null;
  let [told, tooLong] = ['', ''];
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
        started.stdout.on('data', (chunk: Buffer) => {
          const found = lines(chunk);
          if (found) return read(transport, found);
          started.stdout.destroy();
          tooLong = `wrote a line of more than ${answerLimits.bytes} bytes`;
          killGroup(started);
        });
        started.stderr.setEncoding('utf8').on('data', (text: string) => {
          told = (told + text).slice(-toldCharacters);
        });
        closed = new Promise((settle) => {
          started.on('close', (code, signal) => {
            ended = tooLong || endOf({ code, signal }, told);
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
function read(transport: Transport, lines: readonly string[]): void {
  for (const line of lines) {
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line);
    } catch {
      continue;
    }
    transport.onmessage?.(message);
  }
}

/** The lines that a chunk ends; null once a line is longer than an answer may be. */
function lineReader(): (chunk: Buffer) => readonly string[] | null {
  let [parts, length]: [Buffer[], number] = [[], 0];
  return (chunk) => {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      const line = Buffer.concat([...parts, chunk.subarray(start, end)]);
      lines.push(line.toString('utf8').replace(/\r$/, ''));
      [parts, length, start] = [[], 0, end + 1];
    }
    const rest = chunk.subarray(start);
    parts.push(rest);
    length += rest.length;
    return length <= answerLimits.bytes ? lines : null;
  };
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
