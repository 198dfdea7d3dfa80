/** Evaluations side by side, by type of task. */
import type { EvaluatedGame, EvaluationSummary } from '@emac/rollout';
import { html, type Html, type Part } from './html.ts';
import type { EvaluationView, RunView } from './run-view.ts';

/**
 * A row per type, one for all games, and one for games trained on; a column of success and one of steps per evaluation.
 */
export function resultsTable({ name, evaluations }: Pick<RunView, 'name' | 'evaluations'>): Html | null {
  if (evaluations.length === 0) return null;
  const types = [...new Set(evaluations.flatMap(({ result }) => Object.keys(result.by_type)))].sort();
  const cells = (of: EvaluationView['result']['by_type'][string] | undefined): Part =>
    of
      ? html`<td class="number">${percent(of.success)} ${interval(of)}</td>
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
        ${wholeRow(
          'all',
          evaluations.map(({ result }) => [result, gamesOf(result, false)]),
        )}
        ${passRow(evaluations)}
        ${
          evaluations.some(({ result }) => result.seen.success !== null)
            ? wholeRow(
                'seen in training, counted apart',
                evaluations.map(({ result }) => [result.seen, gamesOf(result, true)]),
              )
            : null
        }
      </tbody>
    </table>
  </div>`;
}

type Whole = readonly [EvaluationSummary, readonly EvaluatedGame[]];

function wholeRow(name: string, evaluations: readonly Whole[]): Html {
  return html`<tr>
    <th scope="row">${name}</th>
    ${evaluations.map(wholeCells)}
  </tr>`;
}

/** A row for evaluations with several attempts at each game. */
function passRow(evaluations: readonly EvaluationView[]): Html | null {
  const passes = evaluations.map(({ result }) => result.pass_at?.at(-1));
  if (passes.every((pass) => pass === undefined)) return null;
  return html`<tr>
    <th scope="row">won in any attempt (pass@k)</th>
    ${passes.map((pass) =>
      pass
        ? html`<td class="number">${percent(pass.rate)} ${interval({ success_ci95: pass.ci95 })}</td>
            <td class="number">k = ${pass.k}</td>
            <td></td>`
        : html`<td></td>
            <td></td>
            <td></td>`,
    )}
  </tr>`;
}

function gamesOf({ games }: EvaluationView['result'], isSeen: boolean): readonly EvaluatedGame[] {
  return games.filter(({ seen_in_training }) => seen_in_training === isSeen);
}

function wholeCells([{ success, success_ci95, mean_steps }, games]: Whole): Html {
  if (success === null)
    return html`<td></td>
      <td></td>
      <td></td>`;
  const won = games.filter((game) => game.won).length;
  return html`<td class="number">${percent(success)} ${interval({ success_ci95 })}</td>
    <td class="number">${won} of ${games.length}</td>
    <td class="number">${mean_steps!.toFixed(1)}</td>`;
}

/** Results of earlier versions have none by type. */
function interval({ success_ci95 }: Partial<Pick<EvaluationSummary, 'success_ci95'>>): Html | null {
  if (!success_ci95) return null;
  const [low, high] = success_ci95;
  return html`<span class="soft">[${percent(low)}, ${percent(high)}]</span>`;
}

function percent(value: number): string {
  return `${(100 * value).toFixed(0)} %`;
}
