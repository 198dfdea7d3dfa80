/** The environment of runs, and of checkpoints that name none; and the model that is usual in an environment. */
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { isThere } from '@emac/files';

export const usualEnvironment = 'alfworld';

/**
 * True for the name of code rather than an environment's id: a file, a folder, a package that is installed here, an agent, a server of
 * tools, or an environment that a program has defined.
 */
export function isEnvironmentModule(text: string): boolean {
  const isPrefixed = isInlineEnvironment(text) || isAgentName(text) || isMcpName(text);
  return isPrefixed || isPath(text) || installedPackage(text) !== null;
}

/** The environment of an agent of one's own: a file, or a command line. */
export function agentName(agent: string): string {
  return `${agentPrefix}${agent}`;
}

/** True for such a name. */
export function isAgentName(text: string): boolean {
  return text.startsWith(agentPrefix);
}

/** The agent in such a name, as typed. */
export function agentIn(name: string): string {
  return name.slice(agentPrefix.length);
}

const agentPrefix = 'agent:';

/** True for the name of an MCP server: `mcp:` and a command line or an address. */
export function isMcpName(text: string): boolean {
  return text.startsWith(mcpPrefix);
}

/** What stands after `mcp:`. */
export function mcpServerIn(name: string): string {
  return name.slice(mcpPrefix.length);
}

const mcpPrefix = 'mcp:';

/** The name of an environment that a program has defined; no file holds it. */
export function inlineName(name: string): string {
  return `${inlinePrefix}${name}`;
}

/** True for such a name. */
export function isInlineEnvironment(text: string): boolean {
  return text.startsWith(inlinePrefix);
}

const inlinePrefix = 'inline/';

function isPath(text: string): boolean {
  return /^\.{1,2}[\\/]/.test(text) || isAbsolute(text) || /\.[cm]?[jt]s$/i.test(text);
}

/** A package that holds an environment. */
export interface InstalledPackage {
  readonly folder: string;
  /** name of the export; null for the default */
  readonly exported: string | null;
}

/**
 * `my-package` or `my-package/hard`, in `node_modules` of this folder or of one above; null for other names. EMAC's own
 * ids come first.
 */
export function installedPackage(text: string): InstalledPackage | null {
  const [, name, exported = null] = packageName.exec(text) ?? [];
  if (name === undefined || ownName.test(name)) return null;
  for (let folder = resolve('.'); ; folder = dirname(folder)) {
    const place = join(folder, 'node_modules', name);
    if (isThere(join(place, 'package.json'))) return { folder: place, exported };
    if (dirname(folder) === folder) return null;
  }
}

/** npm's names of packages, with or without a scope, then the name of an export. */
const packageName = /^((?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*)(?:\/([A-Za-z_$][\w$]*))?$/;
const ownName = /^(alfworld|gym_cards|tabletop|lewis|libero_\w+|inline|remote)$/;

/** Begins the id of an environment that a client describes: `remote/CartPole-v1`. */
export const remotePrefix = 'remote/';

/** Begins the name of an environment that another program serves over OpenEnv: `openenv:ws://127.0.0.1:8000`. */
export const openEnvPrefix = 'openenv:';

/** The default small model of an environment: modules and clients use ALFWorld's form, others ask for JSON. */
export function usualModel(env: string = usualEnvironment): 'emma-tiny' | 'lewis-tiny' | 'rl-tiny' {
  const isElsewhere = [remotePrefix, openEnvPrefix].some((prefix) => env.startsWith(prefix));
  if (env === usualEnvironment || isEnvironmentModule(env) || isElsewhere) return 'emma-tiny';
  return lewisEnvironments.some((id) => id === env) ? 'lewis-tiny' : 'rl-tiny';
}

/** The environment of speaker and listener; each role has its own settings. */
export const lewisGame = 'lewis';

/** The same game from the side of each. */
export const lewisEnvironments = ['lewis/listener', 'lewis/speaker'] as const;
