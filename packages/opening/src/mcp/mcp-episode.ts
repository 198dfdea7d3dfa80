/** An episode at an MCP server of its own: its folder, the calls, and the check after each. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { McpResult, McpSession } from '@emac/bridge';
import type { Fact, ToolCall } from '@emac/core';
import { createFolder } from '@emac/files';
import type { McpTask } from './mcp-tasks.ts';
import { patternFits } from './pattern-fits.ts';

/** what stands for the episode's folder in a command, in calls and in results */
export const folderWord = '{dir}';

export interface Judged {
  readonly observation: string;
  readonly reward: number;
  readonly done: boolean;
}

export interface McpEpisode {
  readonly tools: McpSession['tools'];
  /** Calls a tool for the policy. Errors: `LostEpisode`. */
  act(call: ToolCall): Promise<Judged>;
  /** Takes an answer without a call, which ends a task that checks one; null for another task. Errors: `LostEpisode`. */
  answer(text: string): Promise<Judged | null>;
  close(): Promise<void>;
}

/** Begins a server, in a new folder if its command names one. Errors: those of `open`. */
export async function beginMcp(
  server: string,
  task: Pick<McpTask, 'id' | 'files' | 'check'>,
  open: (server: string) => Promise<McpSession>,
): Promise<McpEpisode> {
  const folder = server.includes(folderWord) ? filledFolder(task.files) : null;
  const remove = (): void => {
    if (folder !== null) rmSync(folder, { recursive: true, force: true });
  };
  try {
    const there = (text: string): string => (folder === null ? text : text.replaceAll(folderWord, folder));
    const here = (text: string): string => (folder === null ? text : text.replaceAll(folder, folderWord));
    const session = await open(there(server));
    const call = async ({ name, arguments: values }: ToolCall): Promise<McpResult> => {
      const moved = mapped(values, there) as ToolCall['arguments'];
      const { text, isError } = await session.call({ name, arguments: moved });
      return { text: here(text), isError };
    };
    const close = async (): Promise<void> => {
      try {
        await session.close();
      } finally {
        remove();
      }
    };
    return { tools: session.tools, ...judging(task, call), close };
  } catch (thrown) {
    remove();
    throw thrown;
  }
}

function judging(
  { id, check: { result: wanted, call: asked, answer: said } }: Pick<McpTask, 'id' | 'check'>,
  call: (made: ToolCall) => Promise<McpResult>,
): Pick<McpEpisode, 'act' | 'answer'> {
  const fits = ({ text, isError }: McpResult): boolean =>
    !isError && patternFits(wanted!, text, { place: `task ${id}, check.result` });
  const isDone = async (own: McpResult | null): Promise<boolean> => {
    if (wanted === undefined) return true;
    const judged = asked ? await call(asked) : own;
    return judged !== null && fits(judged);
  };
  let last: McpResult | null = null;
  return {
    async act(made) {
      last = await call(made);
      // a task with an answer is judged once it is given
      const done = said === undefined && (await isDone(last));
      const observation = last.text === '' ? 'It gives nothing.' : last.text;
      return { observation, reward: Number(done), done };
    },
    async answer(text) {
      if (said === undefined) return null;
      const isRight = patternFits(said, text, { place: `task ${id}, check.answer` }) && (await isDone(last));
      return { observation: isRight ? 'Right.' : 'Wrong.', reward: Number(isRight), done: true };
    },
  };
}

/** A new folder with these files. */
function filledFolder(files: McpTask['files']): string {
  // the same name as a server sees it: its own may go through a link
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'emac-mcp-')));
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    createFolder(dirname(path));
    writeFileSync(path, text);
  }
  return folder;
}

/** The same value with other texts. */
function mapped(value: Fact, change: (text: string) => string): Fact {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((each: Fact) => mapped(each, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, mapped(each, change)]));
}
