/** Evaluations side by side, by type of task. */
import { html, type Html, type Part } from './html.ts';
import type { EvaluationView, RunView } from './run-view.ts';

/** A row for each type and one for all games; a column of success and one of steps for each evaluation. */
export function resultsTable({ name, evaluations }: Pick<RunView, 'name' | 'evaluations'>): Html | null {
  if (evaluations.length === 0) return null;
  const types = [...new Set(evaluations.flatMap(({ result }) => Object.keys(result.by_type)))].sort();
  const cells = (of: EvaluationView['result']['by_type'][string] | undefined): Part =>
    of
      ? html`<td class="number">${percent(of.success)}</td>
          <td class="number">${of.won} of ${of.games}</td>
          <td class="number">${of.mean_steps.toFixed(1)}</td>`
      : html`<td></td>
          <td></td>
          <td></td>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="results of ${name} by type of task">
    <table>
      <thead>
        <tr>
          <th scope="col">type of task</th>
          ${evaluations.map(
            ({ name }) =>
              html`<th scope="col" class="number">success ${name}</th>
                <th scope="col" class="number">won ${name}</th>
                <th scope="col" class="number">mean steps ${name}</th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${types.map(
          (type) =>
            html`<tr>
              <th scope="row">${type}</th>
              ${evaluations.map(({ result }) => cells(result.by_type[type]))}
            </tr>`,
        )}
        <tr>
          <th scope="row">all</th>
          ${evaluations.map(({ result }) => allCells(result))}
        </tr>
      </tbody>
    </table>
  </div>`;
}

function allCells({ success, success_ci95, mean_steps, games }: EvaluationView['result']): Html {
  if (success === null)
    return html`<td></td>
      <td></td>
      <td></td>`;
  const [low, high] = success_ci95!;
  const own = games.filter(({ seen_in_training }) => !seen_in_training);
  const won = own.filter((game) => game.won).length;
  return html`<td class="number">
      ${percent(success)} <span class="soft">[${percent(low)}, ${percent(high)}]</span>
    </td>
    <td class="number">${won} of ${own.length}</td>
    <td class="number">${mean_steps!.toFixed(1)}</td>`;
}

function percent(value: number): string {
  return `${(100 * value).toFixed(0)} %`;
}
