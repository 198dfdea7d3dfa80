/** The language model's address: the configured one, else that in the openai packages' variables, new name first. */
import type { ServiceConfig } from '@emac/settings';
import type { Host } from '../host.ts';

/** Variables of the openai packages: the current one, and that of versions before 1. */
const addressVariables = ['OPENAI_BASE_URL', 'OPENAI_API_BASE'] as const;

export interface ServiceAddress {
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
