export { checkEnvironment } from './check/check-environment.ts';
export type { CheckOptions, EnvironmentReport } from './check/check-environment.ts';
export { checks } from './check/checked-environment.ts';
export type { Check, CheckedEnvironment, Finding } from './check/checked-environment.ts';
export { allowedAnswers } from './allowed-answers.ts';
export { rollout, rolloutEach } from './rollout.ts';
export type {
  Attempt,
  Elsewhere,
  MadeStep,
  RecordedEpisode,
  RecordedStep,
  Rollout,
  RolloutEvent,
} from './attempt.ts';
export { labelled } from './episode.ts';
export { evaluatedGame, evaluationResult, summarize } from './evaluation-result.ts';
export type {
  EvaluatedGame,
  LostGame,
  EvaluationResult,
  EvaluationSubject,
  EvaluationSummary,
  PassAt,
} from './evaluation-result.ts';
export { expertActs, expertShareIn, policyActs } from './expert-share.ts';
export type { ExpertShare } from './expert-share.ts';
export { arriving, attemptName, playAlone } from './play-alone.ts';
export type { PlayAlone } from './play-alone.ts';
export { recordedEpisode } from './recorded.ts';
export { samplesOf } from './samples.ts';
export type { CollectedSample } from './samples.ts';
export { answerDataset, summarizeAnswers } from './answers/dataset.ts';
export type {
  AnsweredPrompt,
  AnsweredSample,
  AnswerSummary,
  DatasetEvaluation,
  DatasetResult,
} from './answers/dataset.ts';
export { handedOver, noFrame, promptAt, seenBy, sightOf, textOf } from './texts.ts';
export { historyOf, withThoughts } from './thoughts.ts';
export { mcNemar, meanInterval, meanOf, pairedScores, pairedWins, wilsonInterval } from './intervals.ts';
export type { Interval, Pair, PairedDifference } from './intervals.ts';
export {
  advantageEstimators,
  deviationOffset,
  groupAdvantages,
  leastGroup,
} from './groups/group-advantages.ts';
export type {
  AdvantageEstimator,
  AdvantageScale,
  GroupAdvantageOptions,
  GroupAdvantages,
} from './groups/group-advantages.ts';
export { graphAdvantages } from './groups/graph-advantages.ts';
export type { NextState, TracedAttempt, TracedStep } from './groups/graph-advantages.ts';
export { anchorAdvantages, discountedReturns, historyAdvantages } from './groups/step-advantages.ts';
export type {
  AnchoredAttempt,
  AnchoredStep,
  HistoryAdvantageOptions,
  StepAdvantageOptions,
  StepScale,
} from './groups/step-advantages.ts';
export { generalizedAdvantages, normalized } from './steps/advantages.ts';
export { tokenAdvantages } from './steps/token-advantages.ts';
export type { TokenAdvantageOptions, TokenAdvantages } from './steps/token-advantages.ts';
export type { AdvantageOptions, Advantages, StepNumbers, TruncationRule } from './steps/advantages.ts';
export { collectSteps } from './steps/collect.ts';
export type {
  CollectedSteps,
  Collection,
  FinishedEpisode,
  RunningEpisode,
  StepRater,
} from './steps/collect.ts';
export { collectSaid, sayingSteps, stateOf } from './steps/said-steps.ts';
export type { SaidSteps, StateDigest } from './steps/said-steps.ts';
export { askedTogether, groupsOf } from './steps/together.ts';
export type { Group } from './steps/together.ts';
export { firstTasks, heldOutSeed, taskSeeds, trainingSeed } from './steps/episode-seeds.ts';
export { isSuccess, scoreEpisodes } from './steps/score-episodes.ts';
export type {
  AskedPlayer,
  AskedPolicy,
  EpisodesToScore,
  EpisodeWatcher,
  ScoredEpisode,
  WatchedStep,
} from './steps/score-episodes.ts';
export { episodeTrace, traceLine, traceStep, traceSteps } from './traces.ts';
export type { FileOfPicture, StepToTrace, TraceOf, TraceStep } from './traces.ts';
export { arrayTexts, pixelTexts, speechTexts } from './steps/step-texts.ts';
export type { Reading, StepTexts } from './steps/step-texts.ts';
export { steppedOf, taskNumber } from './steps/stepped.ts';
export type { SteppedOptions, SteppedState } from './steps/stepped.ts';
