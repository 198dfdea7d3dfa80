export { Chart } from './components/chart.tsx';
export type { ChartLine, ChartProps } from './components/chart.tsx';
export { colourCount, colourOf } from './components/colour.ts';
export type { ResultKind, RunRow, RunRows } from './data/run-row.ts';
export type {
  AskedCommand,
  AskedResume,
  AskedRun,
  BoardRights,
  CommandPreview,
  QueuedCommand,
  SettingField,
  StartForm,
  StartSubject,
} from './data/start.ts';
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
export { GamePage } from './played/game-page.tsx';
export type { GamePageProps } from './played/game-page.tsx';
export { httpPlace, takenToken } from './played/http-place.ts';
