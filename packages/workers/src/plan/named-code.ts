/**
 * A custom environment on a worker: its code runs only if the worker's own command line names it and it equals the
 * run's code.
 */
import { EmacError } from '@emac/core';
import type { GivenEnvironment, Host } from '@emac/opening';
import { isEnvironmentModule } from '@emac/settings';
import { requireEqual } from './as-config.ts';

/** SHA-256 of a module's code, in the plan; empty if the run's environment is built in. */
export interface PlannedCode {
  readonly code?: string;
}

/** The plan's entry for the run's custom code. */
export function plannedCode({ environment }: Pick<Host, 'environment'>): PlannedCode {
  return environment ? { code: environment.sha256 } : {};
}

/**
 * The code for a plan's environment; null if it needs none. Errors: `config` if this worker was given none, or other
 * code.
 */
export function namedCode(
  { env, code = '' }: PlannedCode & { readonly env: string },
  { environment }: Pick<Host, 'environment'>,
): GivenEnvironment | null {
  // a package need not be installed under the same name here
  if (code === '' && !isEnvironmentModule(env)) return null;
  if (!environment)
    throw new EmacError(
      'config',
      `env ${env}: is code, which a worker runs only if its command line names it; start workers with --env ${env}`,
    );
  requireEqual('environment', code.slice(0, 12), environment.sha256.slice(0, 12));
  return environment;
}
