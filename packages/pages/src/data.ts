/** The data of pages as plain objects, without what shows them. */
export type {
  Actor,
  AskedAgain,
  CoveredParts,
  GameAnswer,
  GameAttempt,
  GameMoment,
  GameOrder,
  GamePlace,
  GameStep,
  GameTaskSet,
  GameView,
  WeighedCommand,
} from './data/played.ts';
export { labelOf, labelsOf } from './data/differences.ts';
export { groupBy } from './data/group-by.ts';
export type { AttemptView, CreditedStepView } from './data/attempt-view.ts';
export type { Labelled } from './data/charts.ts';
export type {
  PageData,
  PagePicture,
  PageTable,
  RunFile,
  RunsFile,
  TablesFile,
  TextCell,
} from './data/page-data.ts';
export { countedSuccess, mostOfCurve, rowOfView } from './data/row-of-view.ts';
export type { ResultKind, RunRow, RunRows } from './data/run-row.ts';
export type { EpisodeHead, EpisodeView, EvaluationView, RunView, StepView } from './data/run-view.ts';
export {
  certaintyWords,
  changeWords,
  evaluatedSuccess,
  pointsWords,
  rangeWords,
  ratesOf,
  rateWords,
  shareWords,
  successWords,
} from './data/success.ts';
export { percent } from './data/words.ts';
export type { Rate, Rates, Success } from './data/success.ts';
export { isMeasured, seriesOf } from './data/series.ts';
export type { MetricsLine, Series } from './data/series.ts';
export type {
  LabelQuestion,
  TaughtPart,
  TaughtWork,
  TeachAnswer,
  TeachOrder,
  TeachPlace,
  TeachView,
} from './data/taught.ts';
export { nameWords } from './data/words.ts';
