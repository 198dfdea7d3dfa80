/** How the prompts of a dataset were answered, by type of task. */
import type { AnswerSummary } from '@emac/rollout';
import { html, type Html } from './html.ts';
import type { RunView } from './run-view.ts';

/** A row for each type and one for all samples. */
export function answersTable({ name, answers }: Pick<RunView, 'name' | 'answers'>): Html | null {
  if (answers === null) return null;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="answers of ${name} by type of task">
    <table>
      <thead>
        <tr>
          <th scope="col">type of task</th>
          ${['samples', 'exact match', 'token accuracy', 'BLEU', 'loss'].map(
            (measure) => html`<th scope="col" class="number">${measure}</th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${Object.entries(answers.by_task_type).map(([type, summary]) => row(type, summary))}
        ${row('all', answers)}
      </tbody>
    </table>
  </div>`;
}

function row(name: string, { samples, exact_match, token_accuracy, bleu, loss }: AnswerSummary): Html {
  const cells = [samples, percent(exact_match), percent(token_accuracy), bleu?.toFixed(3), loss?.toFixed(4)];
  return html`<tr>
    <th scope="row">${name}</th>
    ${cells.map((cell) => html`<td class="number">${cell ?? null}</td>`)}
  </tr>`;
}

function percent(share: number | null): string | null {
  return share === null ? null : `${(100 * share).toFixed(0)} %`;
}
