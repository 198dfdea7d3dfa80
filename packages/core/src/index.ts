export { EmacError, exitCodes, invariant, messageOf } from './error.ts';
export type { EmacErrorCode } from './error.ts';
export { Random } from './random.ts';
export type { RandomState } from './random.ts';
export { isTaskType, taskTypes } from './task.ts';
export type { TaskType } from './task.ts';
export type { Episode, Frame, Step, WorldSource } from './world.ts';
export type { History, Turn } from './history.ts';
export type { ChatMessage, Expert, Label, LabelRequest, LanguageModel, UnusableCause } from './expert.ts';
export type {
  Features,
  ImitationGradient,
  ImitationRow,
  PreferenceGradient,
  PreferenceLossName,
  PreferenceOptions,
  PreferenceRow,
  SequenceLogProbability,
  Student,
} from './student.ts';
