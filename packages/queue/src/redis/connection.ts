/**
 * A connection to Redis: made once and checked, then kept. While Redis is away commands wait, and are sent again when
 * it is back. After `patienceMs` without it they fail with one sentence. No message contains a password.
 */
import type { Redis } from 'ioredis';
import { EmacError, messageOf } from '@emac/core';
import { loadIoredis } from './load.ts';
import { patience, type Hopeless } from './patience.ts';
import type { RedisPlace } from './place.ts';

export interface RedisConnection {
  readonly redis: Redis;
  /** its address, without password */
  readonly place: string;
  /** another connection to the same place */
  another(): Redis;
  /** ends a connection made by `another` */
  release(redis: Redis): void;
  /** the answer, or a fault once the connection is given up */
  hoped<T>(answer: Promise<T>): Promise<T>;
  /** true once the connection is given up */
  isOver(): boolean;
  close(): void;
}

/** without an answer for so long, a connection counts as cut */
const answerMs = 20_000;

/** Connects. Errors: `usage` for an invalid address; `unavailable`, `config` as `checkRedis`; `interrupted`. */
export async function connectRedis({
  url,
  ca,
  patienceMs = 300_000,
  signal,
}: RedisPlace): Promise<RedisConnection> {
  const address = addressOf(url);
  const place = `${address.protocol}//${address.host}`;
  const { Redis } = await loadIoredis();
  let [lastError, hasStood] = ['', false];
  const faultOf = (why: Hopeless): EmacError => {
    if (why === 'stopped') return stopped(place);
    return unavailable(
      place,
      why === 'first' ? refusal(lastError) : `has been unreachable for ${patienceMs / 1000} s`,
    );
  };
  const { retry, begin, end, hoped, isOver } = patience(patienceMs, faultOf, {
    signal,
    wasCut: () => hasStood && lastError === '',
  });
  const redis = new Redis(url, {
    maxRetriesPerRequest: null,
    connectTimeout: 10_000,
    socketTimeout: answerMs,
    retryStrategy: retry,
    ...(ca !== undefined && { tls: { ca } }),
  });
  redis.on('connect', () => ([lastError, hasStood] = ['', true]));
  redis.on('error', (error: NodeJS.ErrnoException) => {
    // a line that stood and is gone is no refusal
    if (!hasStood || error.syscall === undefined) lastError = error.message;
  });
  const opened = new Set([redis]);
  const close = (): void => {
    end();
    for (const each of opened) each.disconnect();
  };
  const another = (): Redis => {
    const other = redis.duplicate();
    other.on('error', () => {});
    opened.add(other);
    return other;
  };
  const release = (other: Redis): void => {
    opened.delete(other);
    other.disconnect();
  };
  try {
    await hoped(new Promise<void>((resolve) => redis.once('ready', resolve)));
    // if this is refused, the client silently continues with the first database
    if (address.pathname.length > 1) await redis.select(Number(address.pathname.slice(1)));
    await hoped(checkRedis(redis, place));
    begin();
    return { redis, place, another, release, hoped, isOver, close };
  } catch (thrown) {
    close();
    throw thrown instanceof EmacError ? thrown : unavailable(place, refusal(lastError || messageOf(thrown)));
  }
}

function addressOf(url: string): URL {
  const address = URL.canParse(url) ? new URL(url) : null;
  if (!address || !/^rediss?:$/.test(address.protocol) || address.hostname === '')
    throw new EmacError(
      'usage',
      'queue on Redis: its address must be redis://host:port or rediss://host:port; correct it',
    );
  const { pathname, username, password } = address;
  if (!/^(\/\d*)?$/.test(pathname))
    throw new EmacError(
      'usage',
      `queue on Redis: its address may end in the number of a database, got ${pathname}; correct it`,
    );
  try {
    decodeURIComponent(username + password);
  } catch {
    throw new EmacError(
      'usage',
      'queue on Redis: in the password of its address, write % as %25; correct it, or give the password apart',
    );
  }
  return address;
}

/** BullMQ loses jobs if Redis evicts keys, and needs scripts and commands of Redis 6.2. */
async function checkRedis(redis: Redis, place: string): Promise<void> {
  const info = await redis.info();
  const said = (field: string): string => new RegExp(`^${field}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? '';
  const policy = said('maxmemory_policy');
  if (policy !== '' && policy !== 'noeviction')
    throw new EmacError(
      'config',
      `${place}: Redis must keep every key, its maxmemory-policy is ${policy}; set maxmemory-policy noeviction`,
    );
  const version = said('redis_version');
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < 6 || (major === 6 && minor < 2))
    throw unavailable(place, `must be Redis 6.2 or newer, got ${version || 'an unknown version'}`);
}

function refusal(error: string): string {
  return error === '' ? 'does not answer' : `refuses: ${error}`;
}

function stopped(place: string): EmacError {
  return new EmacError(
    'interrupted',
    `queue at ${place}: stopped while Redis did not answer; start again when Redis is reachable`,
  );
}

function unavailable(place: string, what: string): EmacError {
  return new EmacError('unavailable', `queue at ${place}: Redis ${what}; start it or correct its address`);
}
