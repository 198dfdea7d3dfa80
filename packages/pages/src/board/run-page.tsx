/** One run: what was trained, whether it worked, its curves and its episodes. */
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { Attempts } from '../components/attempts.tsx';
import { Charts } from '../components/charts.tsx';
import { colourOf } from '../components/colour.ts';
import { Episodes } from '../components/episodes.tsx';
import { Headline } from '../components/headline.tsx';
import { Answers, Results } from '../components/results.tsx';
import { Changed, Settings } from '../components/settings.tsx';
import type { RunView } from '../data/run-view.ts';
import type { Source } from '../data/source.ts';

export interface RunPageProps {
  readonly source: Source;
  /** of the run in addresses */
  readonly name: string;
  readonly run: RunView;
  /** about the episodes */
  readonly note?: string | null;
  /** what can be done with the run */
  readonly actions?: ComponentChildren;
}

export function RunPage({ source, name, run, note = null, actions }: RunPageProps) {
  const runs = useMemo(() => [{ label: name, colour: colourOf(name), series: run.series }], [name, run]);
  return (
    <>
      <Headline run={run} />
      {actions}
      <Changed changed={run.changed} />
      <Results name={run.name} evaluations={run.evaluations} />
      <Answers name={run.name} answers={run.answers} />
      <Charts runs={runs} />
      <Attempts attempts={run.attempts} />
      <Episodes source={source} name={name} episodes={run.episodes} note={note} />
      <Settings run={run} />
    </>
  );
}
