/** Somebody's environment where a worker plays: it is run where the worker's own command line names it, and only if it is the run's. */
import { EmacError } from '@emac/core';
import type { GivenEnvironment, Host } from '@emac/opening';
import { isEnvironmentModule } from '@emac/settings';
import { requireEqual } from './as-config.ts';

/** SHA-256 of a module's code, as a plan has it; nothing where a run is in an environment by its id. */
export interface PlannedCode {
  readonly code?: string;
}

/** What a plan says of the code that its run was given. */
export function plannedCode({ environment }: Pick<Host, 'environment'>): PlannedCode {
  return environment ? { code: environment.sha256 } : {};
}

/** The code that a plan's environment needs; null where it needs none. Errors: `config` where this worker was given none, or other code. */
export function namedCode(
  { env, code = '' }: PlannedCode & { readonly env: string },
  { environment }: Pick<Host, 'environment'>,
): GivenEnvironment | null {
  if (!isEnvironmentModule(env)) return null;
  if (!environment)
    throw new EmacError(
      'config',
      `env ${env}: is code, which a worker runs only where its command line names it; start workers with --env ${env}`,
    );
  requireEqual('environment', code.slice(0, 12), environment.sha256.slice(0, 12));
  return environment;
}
