/** Reads the published environment variables, in this module only. An empty variable counts as absent. */
import { EmacError } from '@emac/core';
import type { ConnectOptions } from './connect.ts';
import type { Environment } from '../wire/connection.ts';

export interface ClientSettings extends ConnectOptions {
  /** LISTENER_URL or SPEAKER_URL; null if not set */
  readonly url: string | null;
}

/** LISTENER_URL, LISTENER_TIMEOUT (seconds), LISTENER_CHUNK_SIZE, LISTENER_CHUNK_DELAY (s), LISTENER_MAX_RETRIES, LISTENER_BACKOFF_FACTOR (s), proxies. Errors: `usage`. */
export function listenerSettings(env: Environment): ClientSettings {
  return clientSettings(env, { prefix: 'LISTENER', timeout: 60 });
}

/** The same with the prefix SPEAKER_. Errors: `usage`. */
export function speakerSettings(env: Environment): ClientSettings {
  return clientSettings(env, { prefix: 'SPEAKER', timeout: 30 });
}

export interface InferenceSettings {
  /** INFERENCE_URL; null if not set */
  readonly url: string | null;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly backoffMs: number;
  readonly proxies: Environment;
}

/** The same with the prefix INFERENCE_, for a vLLM-like server, which gets one question at a time. Errors: `usage`. */
export function inferenceSettings(env: Environment): InferenceSettings {
  const {
    chunkSize: _size,
    chunkDelayMs: _delay,
    ...settings
  } = clientSettings(env, { prefix: 'INFERENCE', timeout: 120 });
  return settings;
}

function clientSettings(
  env: Environment,
  { prefix, timeout }: { readonly prefix: string; readonly timeout: number },
) {
  const seconds = (name: string, otherwise: number) =>
    1000 * numberIn(env, { name: `${prefix}_${name}`, otherwise });
  const whole = (name: string, least: number, otherwise: number) =>
    numberIn(env, { name: `${prefix}_${name}`, least, isWhole: true, otherwise });
  return {
    url: env[`${prefix}_URL`] || null,
    timeoutMs: 1000 * numberIn(env, { name: `${prefix}_TIMEOUT`, least: 0.001, otherwise: timeout }),
    chunkSize: whole('CHUNK_SIZE', 1, 4),
    chunkDelayMs: seconds('CHUNK_DELAY', 0.05),
    retries: whole('MAX_RETRIES', 0, 3),
    backoffMs: seconds('BACKOFF_FACTOR', 1),
    proxies: env,
  };
}

export interface ServiceSettings {
  readonly concurrency: number;
  readonly acquireTimeoutMs: number;
  readonly batchSize: number;
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
