export { catalogueOfListing, readCatalogue } from './catalogue.ts';
export type { Catalogue, Concept, ListingOptions } from './catalogue.ts';
export { splitConcepts } from './splits.ts';
export type { Split, SplitOptions } from './splits.ts';
export type { LewisPlayer, Listener, PictureAnswers, PictureQuestion, Speaker } from './agents.ts';
export { candidateName, drawGames } from './games.ts';
export type { GameOptions, LewisGame, ViewPart } from './games.ts';
export {
  listenerPrompt,
  listenerQuestion,
  reasonedQuestion,
  shownCategory,
  speakerPrompt,
} from './prompts.ts';
export { readDescription } from './description.ts';
export type { Description } from './description.ts';
export { scoreCandidates, yesProbability } from './scores.ts';
export type { CandidateScores } from './scores.ts';
export { accuracyModes, accuracyReward, formatReward, lengthReward } from './rewards/speaker.ts';
export type { AccuracyMode, FormatMode, LengthMode } from './rewards/speaker.ts';
export { overlapReward } from './rewards/overlap.ts';
export {
  consistencyReward,
  listenerFormatReward,
  readListenerAnswer,
  verdictOf,
  weightedReward,
} from './rewards/listener.ts';
export type { ListenerAnswer, Verdict } from './rewards/listener.ts';
export { drawPairs } from './tasks/pairs.ts';
export type { PairOptions, RecognitionPair } from './tasks/pairs.ts';
export { identificationResult, recognitionResult } from './tasks/results.ts';
export type {
  Counted,
  IdentificationItem,
  RecognitionItem,
  RecognitionMetrics,
  TaskResult,
} from './tasks/results.ts';
export { agreement, drawnCatalogue, thingOf, trueDescription } from './world/things.ts';
export type { DrawnViews, Thing } from './world/things.ts';
export { drawView } from './world/draw.ts';
