export {
  checkpointFault,
  listCheckpoints,
  parameterDifferences,
  pruneCheckpoints,
} from './checkpoint-list.ts';
export type { ListedCheckpoint, TensorDifference } from './checkpoint-list.ts';
export type { CheckpointMoment } from './checkpoint-moment.ts';
export { loadCheckpoint, networkActions, resolveCheckpoint } from './checkpoint-read.ts';
export type { Checkpoint } from './checkpoint-read.ts';
export {
  networkFiles,
  temporalPredictorFiles,
  valueAdapterFiles,
  valueHeadFiles,
} from './checkpoint-write.ts';
export type { CheckpointContent, CheckpointIdentity, TrainedFiles } from './checkpoint-write.ts';
export { nameToday, underNamesToday } from './earlier-names.ts';
export type { IsName } from './earlier-names.ts';
export { hasEnded, holderOf, standingOf } from './holder.ts';
export type { RunHolder, RunStanding } from './holder.ts';
export { claimPrefix, lockRun } from './lock.ts';
export type { RunLock } from './lock.ts';
export { checkpointFiles, layout } from './layout.ts';
export { transcriptsIn } from './open-run.ts';
export type { Run } from './open-run.ts';
export { identityOf, isAlive } from './process-identity.ts';
export type { ProcessIdentity } from './process-identity.ts';
export type { ResumePoint } from './resume-point.ts';
export { readConfig, readRecord } from './run-record.ts';
export type { RunRecord } from './run-record.ts';
export { runsIn } from './list-runs.ts';
export type { ListedRun } from './list-runs.ts';
export { runName } from './run-folder.ts';
export { createRun, holdRun, isDone } from './run.ts';
export type { HeldRun } from './run.ts';
