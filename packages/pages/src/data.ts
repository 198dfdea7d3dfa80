/** The data of pages as plain objects, without what shows them. */
export type {
  Actor,
  AskedAgain,
  CoveredParts,
  GameAnswer,
  GameMoment,
  GameOrder,
  GamePlace,
  GameStep,
  GameTaskSet,
  GameView,
  WeighedCommand,
} from './data/played.ts';
