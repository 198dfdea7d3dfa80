/**
 * The language model's address: the configured one, else that in the openai packages' variables, new name first. Its key is read from
 * the environment alone, where no process list shows it.
 */
import { readFileSync, statSync } from 'node:fs';
import { EmacError } from '@emac/core';
import { whileReading } from '@emac/files';
import type { ServiceConfig } from '@emac/settings';
import type { Host } from '../host.ts';

/** Variables of the openai packages: the current one, and that of versions before 1. */
const addressVariables = ['OPENAI_BASE_URL', 'OPENAI_API_BASE'] as const;

interface ServiceAddress {
  /** null: OpenAI's own */
  readonly baseUrl: string | null;
  /** the variable with the address; null if it is configured or missing */
  readonly variable: string | null;
}

/** A variable that is set but blank counts as not set. */
export function serviceAddress(
  { baseUrl }: Pick<ServiceConfig, 'baseUrl'>,
  env: Host['env'],
): ServiceAddress {
  const variable = baseUrl === null ? addressVariables.find((name) => env[name]?.trim()) : undefined;
  return variable === undefined ? { baseUrl, variable: null } : { baseUrl: env[variable]!.trim(), variable };
}

/** Reports an address that was not given on the command line. */
export function toldOf({ baseUrl, variable }: ServiceAddress): readonly string[] {
  if (baseUrl === null || variable === null) return [];
  return [`the language model is at ${new URL(baseUrl).host}, as ${variable} says`];
}

/**
 * OPENAI_API_KEY, or the content of the file in OPENAI_API_KEY_FILE. Errors: `auth` if others may read the file,
 * `missing`, `io`.
 */
export function expertKey(env: Host['env']): string | undefined {
  const path = env['OPENAI_API_KEY_FILE'];
  if (env['OPENAI_API_KEY'] || !path) return env['OPENAI_API_KEY'];
  return whileReading(path, () => {
    const { mode } = statSync(path);
    if ((mode & 0o077) !== 0)
      throw new EmacError(
        'auth',
        `OPENAI_API_KEY_FILE: only its owner may read ${path}, got mode ${(mode & 0o777).toString(8)}; chmod 600 it`,
      );
    return readFileSync(path, 'utf8').trim();
  });
}
