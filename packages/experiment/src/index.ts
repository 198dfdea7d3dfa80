export { learn } from './learning/learn.ts';
export type { Learning, OwnMethod } from './learning/asked-learning.ts';
export type { Evaluating as LearnedEvaluating, Learned, SeenNow } from './learning/learned.ts';
export { openAgent } from './agent.ts';
export type { Agent, QuestionOptions } from './agent.ts';
export { openChat, readsMessages } from './chat.ts';
export type { ChatModel } from './chat.ts';
export { openPlayer } from './player.ts';
export type { OpenedPlayer } from './player.ts';
export { evaluatedGamesText } from './evaluation/evaluated-games-text.ts';
export { evaluatedInSteps, evaluatePolicy } from './evaluation/evaluate-policy.ts';
export type { AskedEvaluation, Evaluating, PolicyEvaluation } from './evaluation/evaluate-policy.ts';
export { isFolderName, partFolder } from './evaluation/result-place.ts';
export { comparePolicies, requireDistinct } from './comparison/compare-policies.ts';
export type { ComparisonConfig } from './comparison/compare-policies.ts';
export type { FilmedTask } from './comparison/side-by-side.ts';
export { comparisonRow } from './comparison/compared-result.ts';
export type { Comparison, ComparisonDifference, ComparisonRow } from './comparison/compared-result.ts';
export { methodOf, resume } from './methods.ts';
export type { FinishedMethod, ResumeAny } from './methods.ts';
export type { FinishedRun, Outcome } from './training/recipe.ts';
export type { TrainingHost } from './training/train.ts';
export {
  defaultPolicyOf,
  ppoConfig,
  ppoDefaults,
  ppoPresetConfig,
  ppoPresetOf,
  withFound,
} from './reinforcement/given-config.ts';
export {
  publishedFolder,
  publishedLog,
  rolloutPath,
  rolloutRecords,
} from './reinforcement/published-evaluation.ts';
export { withPublishedNames } from './reinforcement/ppo-evaluation.ts';
export type { PpoEvaluation } from './reinforcement/ppo-evaluation.ts';
export { trainPpo } from './reinforcement/train-ppo.ts';
export type { FinishedPpo } from './reinforcement/recipe.ts';
export { requireStepsForWorkers } from './reinforcement/worker-policy.ts';
export type { OpenedRun } from './life/run.ts';
export { RunError } from './life/run-end.ts';
export { work } from './work.ts';
export { effective } from './beginning.ts';
export { train, trainPhases } from './training/train.ts';
export { evaluateLewis } from './lewis/evaluate-lewis.ts';
export type { EvaluatedLewis, LewisQuestion } from './lewis/evaluate-lewis.ts';
export type { LewisEvaluation } from './lewis/lewis-evaluation.ts';
export { trainGrpo, trainGrpoRuns } from './grpo/train-grpo.ts';
export type { FinishedGrpo } from './grpo/recipe.ts';
export { openLewisService } from './lewis/open-lewis.ts';
export type { OpenedLewis, OpenLewisOptions } from './lewis/open-lewis.ts';
export { experimentId, pythonFloat } from './logs/experiment-id.ts';
export { runningLog } from './logs/published-logs-folder.ts';
export { sweepCells, sweepFile } from './sweep/sweep-file.ts';
export type { SweepCell, SweepFile } from './sweep/sweep-file.ts';
export { runOfCell } from './sweep/run-of-cell.ts';
export { sweepResults } from './sweep/sweep-results.ts';
export type { OverSeeds, SweepRow, SweepSeed } from './sweep/sweep-results.ts';
export { requireApart, stoppedSettings, updateAt, updatesMade, updatesOfRun } from './sweep/stop-worst.ts';
export type { Comparing, StoppedSettings } from './sweep/stop-worst.ts';
export { openGame } from './played/open-game.ts';
export type { GameAsked, OpenedGame } from './played/open-game.ts';
export type { GivenRecords } from './played/given-records.ts';
export { keptRecords } from './played/kept-records.ts';
export { openTeaching } from './played/teaching.ts';
export type { Teaching } from './played/teaching.ts';
