/** Environments and policies over HTTP, both sides of the wire. */
export { listen } from './server/listen.ts';
export type { Listening, ListenOptions } from './server/listen.ts';
export type { ServerLimits } from './server/limits.ts';
export { readToken } from './server/token.ts';
export { openHttpWorld } from './world/http-world.ts';
export type { Connected, HttpWorld, HttpWorldOptions, RemotePlay } from './world/http-world.ts';
export type { ClientEvent } from './world/desk.ts';
export { openWorldRecord } from './world/record.ts';
export type { WorldRecord } from './world/record.ts';
export { playElsewhere } from './world/client.ts';
export type { PlayedElsewhere } from './world/client.ts';
export { playAsPublished } from './published/client.ts';
export type { PlayedAsPublished } from './published/client.ts';
export type { Order } from './wire/schemas.ts';
export type { Connection } from './world/post.ts';
