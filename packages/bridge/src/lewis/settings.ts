/** Reads the published environment variables, in this module only. An empty variable counts as absent. */
import { EmacError } from '@emac/core';
import type { ConnectOptions } from './connect.ts';
import type { Environment } from '../wire/connection.ts';
import type { ServiceOptions } from './service.ts';

type ServiceSettings = Pick<ServiceOptions, 'concurrency' | 'acquireTimeoutMs' | 'batchSize'>;

export interface ClientSettings extends ConnectOptions {
  /** LISTENER_URL, SPEAKER_URL or INFERENCE_URL; null if not set */
  readonly url: string | null;
  readonly timeoutMs: number;
}

/** seconds */
const timeouts = { LISTENER: 60, SPEAKER: 30, INFERENCE: 120 } as const;

/**
 * Variables with a prefix, such as LISTENER_URL, LISTENER_TIMEOUT (seconds), LISTENER_CHUNK_SIZE, LISTENER_CHUNK_DELAY
 * (s), LISTENER_MAX_RETRIES, LISTENER_BACKOFF_FACTOR (s), and proxies. Errors: `usage`.
 */
export function clientSettings(env: Environment, prefix: keyof typeof timeouts): ClientSettings {
  const seconds = (name: string, otherwise: number, least = 0) =>
    1000 * numberIn(env, { name: `${prefix}_${name}`, least, otherwise });
  const whole = (name: string, least: number, otherwise: number) =>
    numberIn(env, { name: `${prefix}_${name}`, least, isWhole: true, otherwise });
  return {
    url: env[`${prefix}_URL`] || null,
    timeoutMs: seconds('TIMEOUT', timeouts[prefix], 0.001),
    chunkSize: whole('CHUNK_SIZE', 1, 4),
    chunkDelayMs: seconds('CHUNK_DELAY', 0.05),
    retries: whole('MAX_RETRIES', 0, 3),
    backoffMs: seconds('BACKOFF_FACTOR', 1),
    proxies: env,
  };
}

/** INFERENCE_CONCURRENCY, INFERENCE_ACQUIRE_TIMEOUT (seconds), LISTENER_BATCH_SIZE or SPEAKER_BATCH_SIZE. Errors: `usage`. */
export function serviceSettings(env: Environment, role: 'listener' | 'speaker'): ServiceSettings {
  const count = (name: string, otherwise: number) =>
    numberIn(env, { name, least: 1, isWhole: true, otherwise });
  return {
    concurrency: count('INFERENCE_CONCURRENCY', 1),
    acquireTimeoutMs: 1000 * numberIn(env, { name: 'INFERENCE_ACQUIRE_TIMEOUT', otherwise: 300 }),
    batchSize: count(`${role.toUpperCase()}_BATCH_SIZE`, 5),
  };
}

interface Wanted {
  readonly name: string;
  /** default 0 */
  readonly least?: number;
  readonly isWhole?: boolean;
  readonly otherwise: number;
}

/** longest time in seconds, and largest count: the limit of timers */
const most = 1_000_000;

function numberIn(env: Environment, { name, least = 0, isWhole = false, otherwise }: Wanted): number {
  const given = env[name]?.trim();
  if (!given) return otherwise;
  const value = /^\d+(?:\.\d+)?$/.test(given) ? Number(given) : Number.NaN;
  if (value >= least && value <= most && (!isWhole || Number.isInteger(value))) return value;
  throw new EmacError(
    'usage',
    `${name}: must be a ${isWhole ? 'whole ' : ''}number from ${least} to ${most}, got ${JSON.stringify(given)}`,
  );
}
