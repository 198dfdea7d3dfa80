/** What is trained, where, how, and from which policy. */
import { countedSuccess } from '../data/row-of-view.ts';
import type { RunRow } from '../data/run-row.ts';
import type { AskedRun, StartForm } from '../data/start.ts';
import { shareWords } from '../data/success.ts';

export interface StartChoice {
  /** of the run, in addresses */
  readonly name: string;
  readonly words: string;
}

/** The runs of a list that a new one can start from, as it is sorted. */
export function startChoices(rows: readonly RunRow[]): StartChoice[] {
  return rows
    .filter(({ kind, state }) => kind === 'run' && state !== null && state !== 'running')
    .map(({ name, title, state, success }) => {
      const counted = countedSuccess(success);
      const about = [state === 'done' ? null : state, counted && shareWords(counted)].filter(Boolean);
      return { name, words: `${title ?? name}${about.length > 0 ? ` (${about.join(', ')})` : ''}` };
    });
}

/** With the chosen one, which an address may name. */
function startsWith(starts: readonly StartChoice[], chosen: string | null): readonly StartChoice[] {
  if (chosen === null || starts.some(({ name }) => name === chosen)) return starts;
  return [{ name: chosen, words: chosen }, ...starts];
}

export interface SubjectFormProps {
  readonly run: AskedRun;
  readonly form: StartForm;
  /** runs whose policy a new one can start from */
  readonly starts: readonly StartChoice[];
  readonly change: (changed: Partial<AskedRun>) => void;
}

export function SubjectForm({ run, form, starts, change }: SubjectFormProps) {
  const { methods, environments, policies } = form;
  const method = methods.find(({ name }) => name === run.method);
  const given = (text: string) => (text === '' ? null : text);
  const families = new Map<string, string[]>();
  for (const { id, about } of environments) families.set(about, [...(families.get(about) ?? []), id]);
  return (
    <div class="subject">
      <label>
        Method
        <select
          name="method"
          value={run.method}
          onChange={(event) => change({ method: event.currentTarget.value })}
        >
          {methods.map(({ name }) => (
            <option value={name}>{name}</option>
          ))}
        </select>
      </label>
      <label>
        Environment
        <select
          name="environment"
          value={run.environment ?? ''}
          onChange={(event) => change({ environment: given(event.currentTarget.value) })}
        >
          <option value="">default</option>
          {[...families].map(([about, ids]) => (
            <optgroup label={about}>
              {ids.map((id) => (
                <option value={id}>{id}</option>
              ))}
            </optgroup>
          ))}
        </select>
      </label>
      <label>
        Policy
        <input
          name="policy"
          list="policies"
          autoComplete="off"
          spellcheck={false}
          placeholder="default"
          value={run.policy ?? ''}
          onInput={(event) => change({ policy: given(event.currentTarget.value.trim()) })}
        />
        <datalist id="policies">
          {policies.map((name) => (
            <option value={name} />
          ))}
        </datalist>
      </label>
      <label>
        Start from
        <select
          name="from"
          value={run.from ?? ''}
          onChange={(event) => change({ from: given(event.currentTarget.value) })}
        >
          <option value="">fresh parameters</option>
          {startsWith(starts, run.from).map(({ name, words }) => (
            <option value={name}>{words}</option>
          ))}
        </select>
      </label>
      {method && (
        <p class="soft">
          {method.about}. Needs {method.needs}.
        </p>
      )}
    </div>
  );
}
