/**
 * The plan of a run: everything a worker needs to open its player, whatever the method. It lies in the shared folder
 * under its hash; it holds no key, and no path but the model's. Versions of the policy come with each job.
 */
import { EmacError } from '@emac/core';
import { canonicalJson, sha256 } from '@emac/files';
import type { Computing, GivenEnvironment, Host } from '@emac/opening';
import type { SharedFolder, Versions } from '@emac/queue';
import { agentIn, isAgentName, isEnvironmentModule, programVersions } from '@emac/settings';
import { exactJson, fromJson, storedText } from './carried.ts';
import type { Openers, Opening, PlannedConfig, Player, Playing } from './player.ts';
import { withStart } from './policy-start.ts';

interface Plan {
  readonly v: 1;
  /** of the code: results of another version do not count, even if still in the queue */
  readonly versions: Versions;
  readonly plays: Playing;
  /** of what it plays and learns with, as `Player`'s; null if nothing is opened to play */
  readonly identity: string | null;
  /** null for a small network */
  readonly computing: Computing | null;
  readonly config: PlannedConfig;
  /** SHA-256 of the environment's own code; absent if it is built in */
  readonly code?: string;
}

export interface PlanParts {
  readonly plays: Playing;
  /** without paths that exist only on the trainer's machine */
  readonly config: PlannedConfig;
  readonly policy: Pick<Player, 'identity' | 'computing'>;
  readonly host: Pick<Host, 'environment'>;
}

/** Stores the plan of a run, and what shows that its trainer uses the folder; returns its hash. Errors: those of the folder. */
export function storePlan(
  folder: SharedFolder,
  { plays, config, policy: { identity, computing }, host: { environment } }: PlanParts,
): string {
  const code = environment && { code: environment.sha256 };
  const plan: Plan = { v: 1, versions: programVersions(), plays, identity, computing, config, ...code };
  folder.put(ofTrainers());
  return folder.put(Buffer.from(canonicalJson(JSON.parse(exactJson(folder, plan)))));
}

/** What every trainer of these versions puts into its folder. */
function ofTrainers(): Uint8Array {
  return Buffer.from(canonicalJson({ versions: programVersions() }));
}

/**
 * Reads the parts of a plan. Errors: `missing` and `data` count against the job in a folder that trainers use, as for a run whose
 * files were removed; in another folder they are `config`, since this worker can play for nobody.
 */
async function readHere<T>(folder: SharedFolder, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (thrown) {
    if (folder.has(sha256(ofTrainers()))) throw thrown;
    return await asConfig(() => Promise.reject(thrown as Error));
  }
}

/** Errors: `missing`; `data` for anything but a plan. */
async function planIn(folder: SharedFolder, hash: string, openers: Openers): Promise<Plan> {
  const plan = await fromJson<Partial<Plan> | null>(folder, await storedText(folder, hash));
  if (Object.hasOwn(openers, String(plan?.plays)) && typeof plan?.config?.env === 'string')
    return plan as Plan;
  throw new EmacError('data', `worker: ${hash.slice(0, 12)} is no plan of a run; another program wrote it`);
}

/** The plan in a run's jobs. */
export interface Planned {
  /** its hash */
  readonly plan: string;
  /** hash of the policy's start; null if plan and version are enough */
  readonly start: string | null;
}

/** Opens a plan. Errors: `config` if this machine cannot; `missing` or `data` if the run's files are gone; `io`. */
export async function openPlan(
  { plan: hash, start }: Planned,
  openers: Openers,
  opening: Pick<Opening, 'folder' | 'model' | 'host'>,
): Promise<Player> {
  const { folder } = opening;
  const plan = await readHere(folder, () => planIn(folder, hash, openers));
  const open = (from: string | null) => asConfig(() => openedPlan(plan, openers, { ...opening, from }));
  return readHere(folder, () => withStart(folder, start, open));
}

async function openedPlan(
  plan: Plan,
  openers: Openers,
  opening: Pick<Opening, 'folder' | 'model' | 'host' | 'from'>,
): Promise<Player> {
  const { environment: _any, ...others } = opening.host;
  const environment = namedCode(plan, opening.host);
  const host = { ...others, ...(environment && { environment }) };
  const player = await openers[plan.plays]({ ...opening, config: plan.config, host });
  try {
    requireEqual('model', plan.identity ?? 'none', player.identity ?? 'none');
    for (const name of ['provider', 'tensorflow'] as const)
      requireEqual(name, plan.computing?.[name] ?? 'none', player.computing?.[name] ?? 'none');
  } catch (thrown) {
    await player.dispose();
    throw thrown;
  }
  return player;
}

/** Errors: `config` where this machine lacks something, or differs from the trainer's: that is no fault of the job; others unchanged. */
export async function asConfig<T>(open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (thrown) {
    const codes = ['missing', 'data', 'usage', 'unavailable', 'config'];
    if (!(thrown instanceof EmacError) || !codes.includes(thrown.code)) throw thrown;
    throw new EmacError('config', `worker: cannot play for this run: ${thrown.message}`, { cause: thrown });
  }
}

/**
 * A custom environment runs only if the worker's own command line names its code and it equals the run's; null for a
 * built-in one. Errors: `config`.
 */
function namedCode(
  { config: { env }, code = '' }: Pick<Plan, 'config' | 'code'>,
  { environment }: Pick<Host, 'environment'>,
): GivenEnvironment | null {
  // a package need not be installed under the same name here
  if (code === '' && !isEnvironmentModule(env)) return null;
  if (!environment)
    throw new EmacError(
      'config',
      `env ${env}: is code, which a worker runs only if its command line names it; start workers with ${isAgentName(env) ? `--agent ${agentIn(env)}` : `--env ${env}`}`,
    );
  requireEqual('environment', code, environment.sha256);
  return environment;
}

/** Hashes are shown by their first digits. */
function requireEqual(name: string, wanted: string, own: string): void {
  if (wanted === own) return;
  const [here, there] = [own, wanted].map((text) => text.slice(0, /^[0-9a-f]{64}$/.test(text) ? 12 : 64));
  throw new EmacError('config', `${name} is ${here} here and ${there} on the trainer; make them equal`);
}
