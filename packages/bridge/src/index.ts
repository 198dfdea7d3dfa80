/** Environments and policies over HTTP, both sides of the wire. */
export { defaultLimits } from './server/limits.ts';
export type { ServerLimits } from './server/limits.ts';
export { listen } from './server/listen.ts';
export type { Listening, ListenOptions } from './server/listen.ts';
export { refused } from './server/refusal.ts';
export type { Refusal } from './server/refusal.ts';
export { readToken } from './server/token.ts';
export { agentService } from './serve/agent-service.ts';
export type { AgentServiceOptions } from './serve/agent-service.ts';
export type { ActReply, ActRequest } from './serve/act-messages.ts';
export type { ActClientOptions } from './serve/act-client.ts';
export { connectPolicy } from './serve/connect-policy.ts';
export type { ConnectedPolicy } from './serve/connect-policy.ts';
export type { ReadMessages, ServedAgent, Situation } from './serve/served-agent.ts';
