/** One setting of the form: a switch, a choice, or a text with its default as a hint. */
import type { SettingField } from '../data/start.ts';

export interface SettingInputProps {
  readonly field: SettingField;
  readonly value: string | true | undefined;
  /** what is wrong with it; null if nothing */
  readonly fault: string | null;
  /** null: as without it */
  readonly change: (value: string | true | null) => void;
}

export function SettingInput({ field, value, fault, change }: SettingInputProps) {
  const { flag, help, form } = field;
  const place = `setting-${flag}`;
  return (
    <div class={`setting${value === undefined ? '' : ' given'}`}>
      <label for={place}>{flag}</label>
      <Value field={field} value={value} change={change} fault={fault} />
      <small class="soft" id={`${place}-help`} title={form === null ? help : `${help} (${form})`}>
        {help}
      </small>
      {fault !== null && <small class="lost">{fault}</small>}
    </div>
  );
}

function Value({ field, value, fault, change }: SettingInputProps) {
  const { flag, form, choices, default: standard } = field;
  const common = {
    id: `setting-${flag}`,
    name: flag,
    'aria-describedby': `setting-${flag}-help`,
    'aria-invalid': fault !== null,
  };
  const given = (text: string) => (text === '' ? null : text);
  if (form === null)
    return (
      <input
        {...common}
        type="checkbox"
        checked={value === true}
        onChange={(event) => change(event.currentTarget.checked ? true : null)}
      />
    );
  const text = value === true || value === undefined ? '' : value;
  if (choices.length > 0)
    return (
      <select {...common} value={text} onChange={(event) => change(given(event.currentTarget.value))}>
        <option value="">{standard ?? 'default'}</option>
        {choices.map((choice) => (
          <option value={choice}>{choice}</option>
        ))}
      </select>
    );
  return (
    <input
      {...common}
      type="text"
      inputMode={/^a (whole )?number/.test(form) ? 'decimal' : 'text'}
      autoComplete="off"
      spellcheck={false}
      placeholder={standard ?? ''}
      title={form}
      value={text}
      onInput={(event) => change(given(event.currentTarget.value.trim()))}
    />
  );
}
