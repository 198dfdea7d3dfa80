/**
 * The name of an environment that is an MCP server: `mcp:` and a command line or an address, and after a last `#` the file of its
 * tasks and the tools that the policy gets: `tasks=tasks.jsonl&tools=read_file,write_file`.
 */
import { basename } from 'node:path';
import { EmacError } from '@emac/core';
import { mcpServerIn } from '@emac/settings';

export interface McpName {
  /** as typed */
  readonly name: string;
  /** a command line or an address */
  readonly server: string;
  /** null: given by a setting */
  readonly tasks: string | null;
  /** null: all of the server's */
  readonly tools: readonly string[] | null;
}

/** Errors: `usage` for no server, and for an unknown word after the `#`. */
export function mcpName(name: string): McpName {
  const [, server, fragment = ''] = /^(.*?)(?:#((?:tasks|tools)=[^#]*))?$/s.exec(mcpServerIn(name))!;
  const given = new Map(fragment === '' ? [] : fragment.split('&').map(fieldOf));
  if (server!.trim() === '') throw refusal(name, 'names no server; give mcp:COMMAND or mcp:https://HOST/mcp');
  const other = [...given.keys()].find((key) => key !== 'tasks' && key !== 'tools');
  if (other !== undefined) throw refusal(name, `after # it takes tasks and tools, got ${other}`);
  return {
    name,
    server: server!.trim(),
    tasks: given.get('tasks') ?? null,
    tools: given.get('tools')?.split(',') ?? null,
  };
}

function fieldOf(text: string): readonly [string, string] {
  const [key = '', ...value] = text.split('=');
  return [key, value.join('=')];
}

/** Without a folder of this machine, and without variables, which may be keys. */
export function shortName(server: string): string {
  const words = server.split(/\s+/).filter((word) => !/^\w+=/.test(word));
  return `mcp:${words.map((word) => (/^https?:/i.test(word) ? word : basename(word))).join(' ')}`;
}

function refusal(name: string, rule: string): EmacError {
  return new EmacError('usage', `--env ${name}: ${rule}`);
}
