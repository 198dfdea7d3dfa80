/** Environments and policies over HTTP, both sides of the wire. */
export { defaultLimits } from './server/limits.ts';
export type { ServerLimits } from './server/limits.ts';
export { listen } from './server/listen.ts';
export type { Listening, ListenOptions } from './server/listen.ts';
export { refused } from './server/refusal.ts';
export type { Refusal, RefusedHere } from './server/refusal.ts';
export { addressesIn } from './server/addresses.ts';
export { readToken } from './server/token.ts';
export type { Conversation, OpenConversation } from './server/sockets.ts';
export { openOpenEnv } from './openenv/remote.ts';
export type { RemoteEnvironment, RemoteOptions } from './openenv/remote.ts';
export { openEnvService } from './openenv/service.ts';
export type { OpenEnvOptions, OpenEnvService } from './openenv/service.ts';
export type { Senses } from './openenv/session.ts';
export { isMcpAddress, openMcp } from './mcp/session.ts';
export type { McpOptions, McpResult, McpSession, McpTool } from './mcp/session.ts';
export { openHttpWorld } from './world/http-world.ts';
export type { HttpWorld, HttpWorldOptions, RemotePlay } from './world/http-world.ts';
export type { Connected } from './world/meeting.ts';
export type { Described } from './wire/schemas.ts';
export type { ClientEvent } from './world/desk.ts';
export { openWorldRecord } from './world/record.ts';
export type { WorldRecord } from './world/record.ts';
export { playElsewhere } from './world/client.ts';
export type { PlayedElsewhere } from './world/client.ts';
export { playAsPublished } from './published/client.ts';
export type { PlayedAsPublished } from './published/client.ts';
export type { Order } from './wire/schemas.ts';
export type { Connection } from './world/post.ts';
export { gamePage, teachPage } from './game/game-page.ts';
export { agentService } from './serve/agent-service.ts';
export type { AgentServiceOptions } from './serve/agent-service.ts';
export { longestStall } from './serve/longest-stall.ts';
export { measures } from './serve/measures.ts';
export type { Measures } from './serve/measures.ts';
export type { ActReply, ActRequest } from './serve/act-messages.ts';
export type { ActClientOptions } from './serve/act-client.ts';
export { connectPolicy } from './serve/connect-policy.ts';
export type { ConnectedPolicy } from './serve/connect-policy.ts';
export type {
  ChatAgent,
  Chatting,
  EpisodeAgent,
  ReadMessages,
  ServedAgent,
  Situation,
} from './serve/served-agent.ts';
export { listenerService, loadingService, speakerService } from './lewis/service.ts';
export type { ServiceOptions, Who } from './lewis/service.ts';
export { openPictures } from './lewis/pictures.ts';
export type { Pictures, PicturesOptions } from './lewis/pictures.ts';
export { connectListener, connectSpeaker } from './lewis/connect.ts';
export type { ConnectOptions } from './lewis/connect.ts';
export { clientSettings, serviceSettings } from './lewis/settings.ts';
export type { ClientSettings } from './lewis/settings.ts';
export { cachedPlayer } from './lewis/cached.ts';
export type { CacheOptions } from './lewis/cached.ts';
export { journaledListener, journaledSpeaker } from './lewis/journaled.ts';
export type { AnswerJournal, JournaledReply } from './lewis/journaled.ts';
export { connectInference } from './inference/connect.ts';
export type { InferenceOptions, InferenceServer, ServedVersion } from './inference/connect.ts';
export type { InferenceAnswer, InferenceQuestion } from './inference/chat-messages.ts';
export { openGateway } from './gateway/gateway.ts';
export type {
  AnsweredRequest,
  AttemptRequests,
  Gateway,
  GatewayOptions,
  OpenRequest,
} from './gateway/gateway.ts';
