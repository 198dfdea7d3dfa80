/** The parts of a queue on Redis, for a queue over another connection, server or clock. */
export { beating } from '../worker/beating.mjs';
export type { BeatingParts, BeatingSettings, ToHeart } from '../worker/beating.mjs';
export { redisQueue } from './bull-queue.ts';
export type { RedisParts } from './bull-queue.ts';
export { openBullJobs } from './redis/bull-jobs.ts';
export { connectRedis } from './redis/connection.ts';
export { heartThread } from './redis/heart.ts';
export type { HeartThread } from './redis/heart.ts';
export { insertScript, poisonScript } from './redis/outcomes.ts';
export { patience } from './redis/patience.ts';
export { queueLimits } from './settings.ts';
