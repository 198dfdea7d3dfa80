/** The address of a Redis. */
export interface RedisPlace {
  /** `redis://[user:password@]host[:port][/database]`, or `rediss://` for TLS */
  readonly url: string;
  /** trusted certificates, PEM; default: those of Node */
  readonly ca?: string | undefined;
  /** how long Redis may be away before waiting commands fail, in milliseconds; default 300,000 */
  readonly patienceMs?: number | undefined;
  /** once it fires, commands waiting for an unreachable Redis end with `interrupted` within seconds */
  readonly signal?: AbortSignal | undefined;
}
