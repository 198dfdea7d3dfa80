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
