export { Chart } from './components/chart.tsx';
export type { ChartLine, ChartProps } from './components/chart.tsx';
export { colourCount, colourOf } from './components/colour.ts';
export type { ResultKind, RunRow, RunRows } from './data/run-row.ts';
