/**
 * An MCP server as an environment with tools: `mcp:` and a command line or an address. Each episode has a server, or a session, of its
 * own. A command is code, so it runs only if a person has typed its name.
 */
import {
  callText,
  EmacError,
  type EnvironmentKind,
  type History,
  type KindSettings,
  type OpenedKind,
  type ToolCall,
} from '@emac/core';
import { readText, sha256 } from '@emac/files';
import { secondsOf, type GivenEnvironment, type ModuleOptions } from '../environments/environment-module.ts';
import { openedModule } from '../environments/module-episodes.ts';
import { toolsOf } from '../environments/module-tools.ts';
import { beginMcp, folderWord, type McpEpisode } from './mcp-episode.ts';
import { mcpName, shortName, type McpName } from './mcp-name.ts';
import { callsIn, mcpTasks, type McpTask, type McpTasks } from './mcp-tasks.ts';

/** Begins nothing yet. Errors: `usage` for a name that is wrong; `missing` without its file of tasks. */
export function loadMcp(
  name: string,
  { env = process.env }: Pick<ModuleOptions, 'env'> = {},
): GivenEnvironment {
  const read = mcpName(name);
  const id = shortName(read.server);
  const seconds = secondsOf(env);
  const parts = [read.server, read.tools?.join() ?? '', read.tasks === null ? '' : readText(read.tasks)];
  return {
    name,
    sha256: sha256(Buffer.from(parts.join('\n'))),
    kind: {
      name: id,
      about: 'a server of tools',
      ids: [id],
      idOf: () => id,
      open: (_id, settings) => opened({ read, id, seconds, tokenFile: env['EMAC_TOKEN_FILE'] }, settings),
    } satisfies EnvironmentKind,
  };
}

interface Opening {
  readonly read: McpName;
  readonly id: string;
  readonly seconds: number;
  readonly tokenFile: string | undefined;
}

async function opened(
  { read, id, seconds, tokenFile }: Opening,
  { source = null, heldOut = null, ...settings }: KindSettings,
): Promise<OpenedKind> {
  const place = `--env ${read.name}`;
  const own = source ?? read.tasks;
  // an evaluation's file, where there is no other: its lines say which are held out
  const files = own === null ? { source: heldOut, heldOut: null } : { source: own, heldOut };
  const tasks = mcpTasks(place, id, files);
  const { isMcpAddress, openMcp, readToken } = await import('@emac/bridge');
  requireFolder(read, tasks, isMcpAddress(read.server));
  const token = tokenFile ? readToken(tokenFile) : null;
  const begin = (task: Pick<McpTask, 'id' | 'files' | 'check'>): Promise<McpEpisode> =>
    beginMcp(read.server, task, (server) => openMcp({ server, name: place, token, seconds }));
  const tools = chosen(read, await listed(begin));
  requireSolvable(read.name, tasks, tools);
  const made = openedModule(
    { path: read.name, id, settings },
    {
      tasks: idsOf(tasks),
      rewards: [0, 1],
      tools,
      begin: async (task: string) => ({
        observation: tasks.of(task).prompt,
        ...(await begin(tasks.of(task))),
      }),
      answer: (text: string, episode: McpEpisode) => episode.answer(text),
      ...(tasks.all.some(({ solution }) => solution) && {
        expert: (task: string, history: History) => nextOf(tasks.of(task), history),
      }),
    },
  );
  // what it gives is well-formed by its protocol: one session has shown that it begins
  const hasFiles = source !== null || heldOut !== null;
  return {
    ...made,
    versions: { tasks: tasks.sha256 },
    ...(hasFiles && { taskFiles: { source, heldOut } }),
  };
}

type Tools = Readonly<
  Record<
    string,
    {
      readonly description: string;
      readonly parameters: object;
      run(values: ToolCall['arguments'], episode: McpEpisode): unknown;
    }
  >
>;

/** The server's tools, from a session that only lists them. */
async function listed(
  begin: (task: Pick<McpTask, 'id' | 'files' | 'check'>) => Promise<McpEpisode>,
): Promise<Tools> {
  const asked = await begin({ id: '', files: {}, check: {} });
  await asked.close();
  const tools = asked.tools.map(({ name, description, parameters }) => {
    const run = (values: ToolCall['arguments'], episode: McpEpisode) =>
      episode.act({ name, arguments: values });
    return [name, { description, parameters, run }] as const;
  });
  return Object.fromEntries(tools);
}

/** Those that were named, in that order. Errors: `usage` for others, and for none. */
function chosen({ name, tools: wanted }: McpName, all: Tools): Tools {
  const names = Object.keys(all);
  if (names.length === 0) throw new EmacError('usage', `--env ${name}: the server has no tools`);
  if (wanted === null) return all;
  const other = wanted.find((each) => !names.includes(each));
  if (other !== undefined)
    throw new EmacError(
      'usage',
      `--env ${name}: the server has no tool ${other}; it has ${names.join(', ')}`,
    );
  return Object.fromEntries(wanted.map((each) => [each, all[each]!]));
}

/** Errors: `data` for files of a server without a folder. */
function requireFolder({ name, server }: McpName, { all }: McpTasks, isAddress: boolean): void {
  const filled = all.find(({ files }) => Object.keys(files).length > 0);
  if (!filled || (!isAddress && server.includes(folderWord))) return;
  throw new EmacError(
    'data',
    `--env ${name}: task ${filled.id} has files, which need the folder of an episode; write ${folderWord} where the command names a folder`,
  );
}

/** Errors: `data` for a solution with a call that no policy could make. */
function requireSolvable(path: string, { all }: McpTasks, tools: Tools): void {
  const { fault } = toolsOf(path, tools)!;
  for (const task of all)
    for (const call of callsIn(task)) {
      const wrong = fault(call);
      if (wrong !== null) throw new EmacError('data', `--env ${path}: task ${task.id}: solution: ${wrong}`);
    }
}

function idsOf({ tasks }: McpTasks) {
  const ids = ({ count, at }: OpenedKind['tasks']['training']) =>
    Array.from({ length: count! }, (_, number) => at(number).id);
  return { training: ids(tasks.training), heldOut: ids(tasks.heldOut) };
}

/** The first step of the solution that has not been made; undefined after the last, and without one. */
function nextOf({ solution = [] }: McpTask, { turns }: History): ToolCall | string | undefined {
  let made = 0;
  for (const { command } of turns) {
    const step = solution[made];
    if (step !== undefined && command === (typeof step === 'string' ? step : callText(step))) made++;
  }
  return solution[made];
}
