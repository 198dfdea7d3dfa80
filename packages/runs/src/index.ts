export { loadCheckpoint, resolveCheckpoint } from './checkpoint-read.ts';
export type { Checkpoint, CheckpointPlace } from './checkpoint-read.ts';
export { writeCheckpoint } from './checkpoint-write.ts';
export type { CheckpointContent, CheckpointIdentity, NamedTensor, NamedTensors } from './checkpoint-write.ts';
export { createFolder } from './create-folder.ts';
export { readRecord } from './run-record.ts';
export type { RunRecord, RunStatus } from './run-record.ts';
export { createRun } from './run.ts';
export type { Run, RunOptions } from './run.ts';
