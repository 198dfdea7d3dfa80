/**
 * The plan of a run: the method's configuration, from which a worker opens its policy. It lies in the shared folder
 * under its hash.
 */
import { canonicalJson } from '@emac/files';
import type { Computing, Host } from '@emac/opening';
import type { SharedFolder, Versions } from '@emac/queue';
import { programVersions } from '@emac/settings';
import { asConfig, requireEqual } from './as-config.ts';
import type { Bench } from './bench.ts';
import { storedText } from './carried.ts';
import { namedCode, plannedCode, type PlannedCode } from './named-code.ts';
import type { Acting, Opening, PlannedConfig } from './players.ts';
import { withStart } from './policy-start.ts';

interface PolicyPlan extends PlannedCode {
  readonly v: 1;
  /** of the code: results of another version do not count, even if still in the queue */
  readonly versions: Versions;
  readonly config: PlannedConfig;
  /** hash of the frozen networks, or the network's description */
  readonly identity: string;
  /** null for a small network */
  readonly computing: Computing | null;
}

export interface PlannedPolicy {
  /** without paths that exist only on the trainer's machine */
  readonly config: PlannedConfig;
  readonly policy: Pick<Acting, 'identity' | 'computing'>;
  readonly host: Pick<Host, 'environment'>;
}

/** Stores the plan of a run; returns its hash. Errors: those of the folder. */
export function storePolicyPlan(
  folder: SharedFolder,
  { config, policy: { identity, computing }, host }: PlannedPolicy,
): string {
  const plan: PolicyPlan = {
    v: 1,
    versions: programVersions(),
    config,
    identity,
    computing,
    ...plannedCode(host),
  };
  return folder.put(Buffer.from(canonicalJson(plan)));
}

/** The policy fields in a run's jobs. */
export interface Planned {
  /** hash of the run's plan */
  readonly plan: string;
  /** hash of the policy's start; null if the configuration is enough */
  readonly start: string | null;
}

/** Opens the policy of a plan. Errors: `config` if this machine cannot run the plan; `missing`, `data`. */
export function openPlanned<T extends Acting>(
  bench: Bench,
  { plan: hash, start }: Planned,
  open: (opening: Opening) => Promise<T>,
): Promise<T> {
  const { folder, host, model } = bench;
  return asConfig(async () => {
    const { config, identity, computing, ...plan } = JSON.parse(await storedText(folder, hash)) as PolicyPlan;
    const { environment: _any, ...own } = host;
    const environment = namedCode({ ...plan, env: config.env }, host);
    const named = { ...own, ...(environment && { environment }) };
    const policy = await withStart(folder, start, (from) => open({ config, from, model, host: named }));
    try {
      requireEqual('model', identity.slice(0, 64), policy.identity.slice(0, 64));
      for (const name of ['provider', 'tensorflow'] as const)
        requireEqual(name, computing?.[name] ?? 'none', policy.computing?.[name] ?? 'none');
    } catch (thrown) {
      await policy.dispose();
      throw thrown;
    }
    return policy;
  });
}
