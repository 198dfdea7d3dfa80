export { comparePage, runPage, stripPage } from './live-pages.ts';
export { report } from './report.ts';
export type { ReportOptions } from './report.ts';
export { readEpisodeOf, readRun } from './read-run.ts';
export type { EpisodeHead, EpisodeView, EvaluationView, RunView, StepView } from './run-view.ts';
export { seriesOf } from './series.ts';
export type { MetricsLine, Series, SeriesPoint } from './series.ts';
export { wordsOf } from './words.ts';
