/** The commands of Redis that the queue sends, over a simulated connection, and its connections by purpose. */
import { EmacError } from '@emac/core';
import { insertScript, patience, poisonScript, type RedisParts } from '@emac/queue/parts';
import { Connection, type ConnectionParts } from './connection.ts';
import type { Keys } from './keys.ts';
import type { Server } from './server.ts';

type RedisConnection = RedisParts['connection'];

/** Commands of one connection, named as the client names them. */
export function redisClient(connection: Connection) {
  const ask = <T>(run: (server: Server) => T): Promise<T> => connection.ask(run);
  const read = <T>(run: (keys: Keys) => T): Promise<T> => ask((server) => run(server.keys(false)));
  const write = <T>(run: (keys: Keys) => T): Promise<T> => ask((server) => run(server.keys(true)));
  return {
    get status() {
      return connection.isUp ? 'ready' : 'reconnecting';
    },
    on: (event: string, heard: (...words: string[]) => void) => connection.on(event, heard),
    subscribe: (channel: string) => connection.subscribe(channel),
    exists: (key: string) => read((keys) => Number(keys.has(key))),
    get: (key: string) => read((keys) => keys.texts.get(key)?.value ?? null),
    mget: (...names: string[]) => read((keys) => names.map((key) => keys.texts.get(key)?.value ?? null)),
    set: (key: string, value: string) =>
      write((keys) => void keys.texts.set(key, { value, until: Infinity })),
    smembers: (key: string) => read((keys) => [...(keys.sets.get(key) ?? [])]),
    srem: (key: string, ...members: string[]) =>
      write((keys) => members.filter((member) => keys.set(key).delete(member)).length),
    hmget: (key: string, ...fields: string[]) =>
      read((keys) => fields.map((field) => keys.hashes.get(key)?.get(field) ?? null)),
    hdel: (key: string, ...fields: string[]) =>
      write((keys) => fields.filter((field) => keys.hash(key).delete(field)).length),
    hvals: (key: string) => read((keys) => [...(keys.hashes.get(key)?.values() ?? [])]),
    del: (...names: string[]) => write((keys) => names.forEach((key) => keys.delete(key))),
    // all at once, as the server may
    scan: (_cursor: string, _match: string, pattern: string) =>
      read((keys) => ['0', keys.names().filter((key) => key.startsWith(pattern.slice(0, -1)))]),
    eval: (script: string, count: number, ...words: string[]) =>
      ask((server) => evaluated(server, script, { keys: words.slice(0, count), words: words.slice(count) })),
    multi: () => transaction(connection),
  };
}

/** Commands that run together. */
function transaction(connection: Connection) {
  const steps: ((server: Server) => void)[] = [];
  const step = (run: (server: Server) => void) => (steps.push(run), commands);
  const commands = {
    set: (...[key, value, , ms]: readonly [key: string, value: string, unit: 'PX', ms: number]) =>
      step((server) => void server.keys(true).texts.set(key, { value, until: server.clock + ms })),
    sadd: (key: string, member: string) => step((server) => void server.keys(true).set(key).add(member)),
    srem: (key: string, member: string) => step((server) => void server.keys(true).set(key).delete(member)),
    del: (key: string) => step((server) => server.keys(true).delete(key)),
    exec: (): Promise<unknown> => connection.ask((server) => steps.forEach((run) => run(server))),
  };
  return commands;
}

interface Given {
  readonly keys: readonly string[];
  readonly words: readonly string[];
}

/** The two scripts of the queue's outcomes, as the server runs them. */
function evaluated(server: Server, script: string, { keys: names, words }: Given): string | null {
  const keys = server.keys(true);
  const [results, poisoned, conflicts] = names as [string, string, string];
  const [id, text] = words as [string, string];
  if (script === poisonScript) {
    if (!keys.hashes.get(results)?.has(id)) keys.hash(poisoned).set(id, text);
    server.publish(words[2]!, id);
    return null;
  }
  if (script !== insertScript) throw new EmacError('internal', 'simulated Redis: does not know this script');
  const stored = keys.hashes.get(results)?.get(id);
  if (stored === text && !server.sabotage?.isOverwriting) return 'duplicate';
  if (stored === undefined || server.sabotage?.isOverwriting) {
    keys.hash(poisoned).delete(id);
    keys.hash(results).set(id, text);
  } else keys.hash(conflicts).set(id, words[2]!);
  server.publish(words[3]!, id);
  return stored === undefined || stored === text ? 'counted' : 'different';
}

export interface ConnectOptions extends Omit<ConnectionParts, 'retry'> {
  readonly patienceMs: number;
  readonly signal: AbortSignal;
}

/** Connects as `connectRedis` does. Errors: `unavailable`, `interrupted`. */
export async function connectSimulated(options: ConnectOptions): Promise<RedisConnection & { cut(): void }> {
  const { patienceMs, signal, thread } = options;
  const faultOf = (why: string): EmacError =>
    new EmacError(why === 'stopped' ? 'interrupted' : 'unavailable', `simulated Redis: ${why}`);
  const { retry, begin, end, hoped, isOver } = patience(patienceMs, faultOf, { signal, after: thread.after });
  const opened = new Set<Connection>();
  const clients = new Map<unknown, Connection>();
  const another = () => {
    const connection = new Connection({ ...options, retry });
    opened.add(connection);
    connection.connect();
    const client = redisClient(connection);
    clients.set(client, connection);
    return client;
  };
  const release = (client: unknown): void => {
    const connection = clients.get(client);
    if (!connection) return;
    connection.close();
    opened.delete(connection);
  };
  const close = (): void => {
    end();
    for (const each of opened) each.close();
  };
  const redis = another();
  const main = clients.get(redis)!;
  await hoped(new Promise((resolve) => main.once('ready', resolve)));
  begin();
  const cut = (): void => opened.forEach((each) => each.cut());
  return {
    redis,
    main,
    place: 'simulated',
    another,
    release,
    hoped,
    isOver,
    close,
    cut,
  } as unknown as RedisConnection & {
    cut(): void;
  };
}
