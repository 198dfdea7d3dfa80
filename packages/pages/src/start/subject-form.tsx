/** What is trained, where, how, and from which policy. */
import type { AskedRun, StartForm } from '../data/start.ts';

export interface SubjectFormProps {
  readonly run: AskedRun;
  readonly form: StartForm;
  readonly change: (changed: Partial<AskedRun>) => void;
}

export function SubjectForm({ run, form, change }: SubjectFormProps) {
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
        <input
          name="from"
          autoComplete="off"
          spellcheck={false}
          placeholder="nothing, or the name of a run here"
          value={run.from ?? ''}
          onInput={(event) => change({ from: given(event.currentTarget.value.trim()) })}
        />
      </label>
      {method && (
        <p class="soft">
          {method.about}. Needs {method.needs}.
        </p>
      )}
    </div>
  );
}
