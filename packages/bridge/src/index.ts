/** Environments and policies over HTTP, both sides of the wire. */
export { defaultLimits } from './server/limits.ts';
export type { ServerLimits } from './server/limits.ts';
export { listen } from './server/listen.ts';
export type { Listening, ListenOptions } from './server/listen.ts';
export { refused } from './server/refusal.ts';
export type { Refusal } from './server/refusal.ts';
export { readToken } from './server/token.ts';
