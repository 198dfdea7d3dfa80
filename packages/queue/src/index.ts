export { bullQueue } from './bull-queue.ts';
export type { BullQueueOptions } from './bull-queue.ts';
export { nodeTimers, pause, timerClock } from './clock.ts';
export type { Clock, Timers } from './clock.ts';
export { gather, gatherEach } from './gather.ts';
export type { GatherOptions } from './gather.ts';
export { describeJob, jobId } from './job.ts';
export type { Job, JobName } from './job.ts';
export { largestMessage } from './json.ts';
export type { Json } from './json.ts';
export { localQueue } from './local-queue.ts';
export type { LocalQueueOptions } from './local-queue.ts';
export { listWorkers } from './queue.ts';
export type {
  Acknowledged,
  Heart,
  JobQueue,
  Lease,
  News,
  Outcome,
  PutOptions,
  Queue,
  Refusal,
  Refused,
  WorkerReport,
} from './queue.ts';
export { runWorker } from './run-worker.ts';
export type { Handler, HandlerContext, WorkerIdentity, WorkerOptions, WorkerSummary } from './run-worker.ts';
export type { QueueSettings } from './settings.ts';
export { sharedFolder, trySharedFolder } from './shared-folder.ts';
export type { SharedFolder } from './shared-folder.ts';
export { checkVersions } from './versions.ts';
export type { Versions } from './versions.ts';
