export { decodeAction, encodeAction, isActionToken, openVlaVocabulary } from './actions/action-tokens.ts';
export { readAnswer } from './actions/answers.ts';
export type { AnswerRules, ReadAnswer } from './actions/answers.ts';
export { gripperToSigned, invertGripper, noOperation, toLibero } from './actions/gripper.ts';
export { vlaPrompt } from './actions/prompt.ts';
export { armMask, datasetStatistics } from './statistics/dataset-statistics.ts';
export type {
  ActionStatistics,
  DatasetStatistics,
  Demonstration,
  Statistics,
} from './statistics/dataset-statistics.ts';
export { normalizeAction, unnormalizeAction } from './statistics/normalize.ts';
export { readStatistics, statisticsKey, writeStatistics } from './statistics/statistics-file.ts';
export { rotate180 } from './images/frames.ts';
export { throughJpeg } from './images/jpeg/through-jpeg.ts';
export { resizeLanczos } from './images/resize.ts';
export type { Size } from './images/resize.ts';
export { cropCentre } from './images/crop.ts';
export { preparedPicture } from './images/prepare.ts';
export type { PreparationOptions } from './images/prepare.ts';
