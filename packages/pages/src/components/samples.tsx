/** Steps as a table: what was observed, the policy's command, the expert's label, and where they differ. It opens at the first such step. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { EpisodeView } from '../data/run-view.ts';

export function Samples({ episodes }: { readonly episodes: readonly EpisodeView[] }) {
  const [onlyParting, setOnlyParting] = useState(false);
  const table = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const [head, first] = [
      table.current!.querySelector('thead'),
      table.current!.querySelector<HTMLElement>('tr.parts'),
    ];
    if (first) table.current!.scrollTop = first.offsetTop - head!.offsetHeight;
  }, []);
  const rows = episodes
    .flatMap((episode) => rowsOf(episode))
    .filter(({ isParting }) => isParting || !onlyParting);
  const [hasLabels, hasRewards] = [
    rows.some(({ step }) => step.label !== null || step.reason !== null),
    rows.some(({ step }) => step.reward !== null),
  ];
  return (
    <div>
      {hasLabels && (
        <label class="check">
          <input
            type="checkbox"
            name="parting"
            checked={onlyParting}
            onChange={(event) => setOnlyParting(event.currentTarget.checked)}
          />
          only where policy and expert differ
        </label>
      )}
      <div class="scroll tall" ref={table} tabIndex={0} role="region" aria-label="samples">
        <table class="samples">
          <thead>
            <tr>
              <th scope="col">step</th>
              <th scope="col">observed</th>
              <th scope="col">policy’s command</th>
              {hasLabels && <th scope="col">expert’s label</th>}
              <th scope="col">done</th>
              {hasRewards && <th scope="col">reward</th>}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, observed, step, isParting }) => (
              <tr class={isParting ? 'parts' : ''}>
                <th scope="row">{name}</th>
                <td class="words">{observed}</td>
                <td>{step.own}</td>
                {hasLabels && <td>{step.label ?? <span class="soft">{step.reason}</span>}</td>}
                <td>{step.command}</td>
                {hasRewards && <td class="number">{step.reward}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function rowsOf({ observation, shown }: EpisodeView) {
  return shown.map((step, index) => ({
    name: index + 1,
    observed: index === 0 ? observation : shown[index - 1]!.observation,
    step,
    isParting: step.own !== null && step.label !== null && step.own !== step.label,
  }));
}
