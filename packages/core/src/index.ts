export { EmacError, exitCodes, invariant, LostEpisode, messageOf, notLoaded, reasonOf } from './error.ts';
export type { EmacErrorCode } from './error.ts';
export { isLoopback, withoutBrackets } from './loopback.ts';
export { Random } from './random.ts';
export { repeated } from './repeated.ts';
export type { RandomState } from './random.ts';
export { renderedOnce, shownNow, framesForPeople, withoutFrames } from './observation.ts';
export type { Frame, NumberArray, Observation } from './observation.ts';
export type { Arrivals, Environment, Episode, Info, Step, Task } from './environment.ts';
export type { Fact } from './fact.ts';
export type { Seed, StepEnvironment, StepOutcome, Steppable } from './step-environment.ts';
export { afterwards, eachOf } from './maybe-async.ts';
export type { MaybeAsync } from './maybe-async.ts';
export { isWon } from './environment-kind.ts';
export { questionEnvironment, wholeAnswers } from './question-environment.ts';
export type { EnvironmentKind, RobotKind } from './kind.ts';
export type {
  KindSettings,
  Moment,
  OpenedKind,
  Said,
  Speech,
  SpeechForm,
  SpeechPolicy,
  TaskSet,
  TaskSource,
  TaskList,
  ListedTask,
} from './environment-kind.ts';
export type {
  AnswerForm,
  ArrayInput,
  FoundSettings,
  LocalSettings,
  LocalWorld,
  MovedEnvironment,
  MovedWorld,
  NumberedWorld,
  PromptForm,
  SeenInWords,
  Verdict,
  WorldNumbers,
  WorldWords,
} from './local-world.ts';
export { openedWorld, requireMeant, seededTasks } from './opened-world.ts';
export { commandedEpisodes } from './commanded.ts';
export type { CommandedWorld } from './commanded.ts';
export { seenOf, vectorOf } from './vector.ts';
export type { Seen, Vector, VectorOptions, VectorOutcome, VectorState } from './vector.ts';
export { promptOf } from './prompt.ts';
export type { Features, Prompt, PromptPart, PromptTokens } from './prompt.ts';
export type { AnswerConstraint, Answer, Policy, PossibleTokens, Question, Sampling } from './policy.ts';
export type {
  AnswerLoss,
  AnswerTerms,
  Arithmetic,
  Loss,
  TokenLoss,
  TokenTerms,
  ValueLoss,
  ValueTerms,
} from './loss.ts';
export { answersTo, parametersOf } from './trainable.ts';
export type {
  Completion,
  Gradient,
  GradientRow,
  Parameter,
  ParameterGroup,
  ParameterSet,
  PartlyScored,
  ScoredRow,
  Scorer,
  Target,
  TokenScores,
  Trainable,
} from './trainable.ts';
export type {
  Acted,
  ActorCritic,
  ActorCriticGradient,
  ActorCriticLosses,
  ActorCriticRow,
} from './actor-critic.ts';
export { isReward, largestReward } from './reward.ts';
export { isTemperature, leastTemperature } from './sampled-temperature.ts';
export type { Trajectory, TrajectoryEnd, TrajectoryStep } from './trajectory.ts';
export { lockstep } from './lockstep.ts';
export type { JointStep, Member } from './lockstep.ts';
export { askedText, isAsked, readAsked } from './asked-messages.ts';
export type { AskedMessage, AskedMessages } from './asked-messages.ts';
export { answerLimits, cappedAnswer, isWithinLevels } from './peer-answer.ts';
export { callText, readCallText } from './tool-call.ts';
export type { AskedTool, ToolCall } from './tool-call.ts';
export { dialogueForms, quotedTurn, readTurns } from './dialogue.ts';
export type { Dialogue } from './dialogue.ts';
export type { History, EpisodeMoment, Turn } from './history.ts';
export type {
  ChatMessage,
  LanguageModel,
  Expert,
  Label,
  LabelRequest,
  ShownState,
  UnusableCause,
} from './expert.ts';
