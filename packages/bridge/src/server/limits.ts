/** Bounds on everything an untrusted request can hold or spend. */

export interface ServerLimits {
  /** milliseconds for a request's headers, from the connection on; then 408 */
  readonly headersMs: number;
  /** milliseconds for a whole request, its body included; then 408 */
  readonly requestMs: number;
  /** milliseconds a connection is kept between two requests */
  readonly idleMs: number;
  /** milliseconds between checks of the limits above */
  readonly checkEveryMs: number;
  /** bytes of a request's headers; then 431 */
  readonly headerBytes: number;
  /** bytes of a request's body, declared or not; then 413 */
  readonly bodyBytes: number;
  /** bytes of all bodies held at one time; then 503 */
  readonly heldBytes: number;
  /** concurrent requests, `/healthz` and `/health` excluded; then 503 */
  readonly requests: number;
  /** connections; beyond that, the longest-idle one is closed */
  readonly connections: number;
  /** bytes of a WebSocket's message; then its connection is closed with 1009 */
  readonly messageBytes: number;
  /** messages of a WebSocket that wait for their turn; then it is read no further until one is answered */
  readonly messages: number;
  /** milliseconds between pings on a WebSocket */
  readonly pingMs: number;
  /** milliseconds without a sign of a WebSocket's client; then its connection is closed */
  readonly silenceMs: number;
  /** seconds in `Retry-After` of a 503 */
  readonly retryAfter: number;
  /** milliseconds that `drain` waits for open requests */
  readonly drainMs: number;
}

const mebibyte = 1024 * 1024;

/** Node's own defaults are 60 s for headers, 300 s for a request and a check every 30 s. */
export const defaultLimits: ServerLimits = {
  headersMs: 5_000,
  requestMs: 30_000,
  idleMs: 5_000,
  checkEveryMs: 1_000,
  headerBytes: 16 * 1024,
  bodyBytes: 16 * mebibyte,
  heldBytes: 256 * mebibyte,
  requests: 512,
  connections: 768,
  messageBytes: mebibyte,
  messages: 8,
  pingMs: 20_000,
  silenceMs: 300_000,
  retryAfter: 1,
  drainMs: 30_000,
};
