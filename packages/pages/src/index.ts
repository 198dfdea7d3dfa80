export { Attempts } from './components/attempts.tsx';
export { Chart } from './components/chart.tsx';
export type { ChartLine, ChartProps } from './components/chart.tsx';
export { Charts } from './components/charts.tsx';
export { colourCount, colourOf } from './components/colour.ts';
export { Episodes } from './components/episodes.tsx';
export { Film } from './components/film.tsx';
export type { Filmed } from './components/film.tsx';
export { Headline } from './components/headline.tsx';
export { Results } from './components/results.tsx';
export { Samples } from './components/samples.tsx';
export { Strip } from './components/strip.tsx';
export type { FrameAddress } from './components/strip.tsx';
export { Table } from './components/table.tsx';
export type { Column, TableProps } from './components/table.tsx';
export { RunPage } from './board/run-page.tsx';
export { RunsPage } from './board/runs-page.tsx';
export type { ResultKind, RunRow, RunRows } from './data/run-row.ts';
export type { NoteChange, Source } from './data/source.ts';
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
  GameAttempt,
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
export type {
  LabelQuestion,
  TaughtPart,
  TeachAnswer,
  TeachOrder,
  TeachPlace,
  TeachView,
} from './data/taught.ts';
export { TeachPage } from './played/teach-page.tsx';
