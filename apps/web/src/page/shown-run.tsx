/** The run that is shown: whether it worked, its curves and its newest episode, as on the board. */
import { Charts, colourOf, Film, Headline } from '@emac/pages';
import { seriesOf } from '@emac/pages/data';
import { useMemo } from 'preact/hooks';
import type { TrainerState } from './trainer-state.ts';

interface ShownProps {
  readonly state: TrainerState;
}

const useSeries = ({ lines }: TrainerState) => useMemo(() => seriesOf(lines), [lines]);

/** Whether it worked. */
export function RunHeadline({ state }: ShownProps) {
  const series = useSeries(state);
  const { view } = state;
  return (
    <section id="run" aria-label="Run">
      {view !== null && <Headline run={{ ...view, series }} isWhole={false} />}
    </section>
  );
}

/** Its newest episode and its curves. */
export function RunCharts({ state }: ShownProps) {
  const series = useSeries(state);
  const { view, film } = state;
  const name = view?.name ?? '';
  const runs = useMemo(() => [{ label: name, colour: colourOf(name), series }], [name, series]);
  return (
    <>
      {film !== null && (
        <section id="film" aria-label="Newest episode">
          <h2>
            Newest episode <small class="soft">{film.when}</small>
          </h2>
          <Film
            key={film.path}
            films={[{ name: '', view: film.view, frame: (each) => film.pictures.get(each) ?? null }]}
          />
        </section>
      )}
      <div id="charts">
        <Charts runs={runs} />
      </div>
    </>
  );
}
