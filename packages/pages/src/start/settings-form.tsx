/** All settings that have an effect: the essentials at once, the others by group, found by a word. */
import { useState } from 'preact/hooks';
import type { SettingField } from '../data/start.ts';
import type { Flags } from './asked-run.ts';
import { SettingInput } from './setting-input.tsx';

export interface SettingsFormProps {
  readonly fields: readonly SettingField[];
  readonly flags: Flags;
  /** what the command would refuse; it may begin with the flag that it is about */
  readonly wrong: string | null;
  readonly change: (flag: string, value: string | true | null) => void;
}

const essentials = 'Essentials';

export function SettingsForm({ fields, flags, wrong, change }: SettingsFormProps) {
  const [words, setWords] = useState('');
  const [, at, why] = /^--([\w-]+): (.*?)(?:; see "emac .*)?$/s.exec(wrong ?? '') ?? [];
  const input = (field: SettingField) => (
    <SettingInput
      key={field.flag}
      field={field}
      value={Object.hasOwn(flags, field.flag) ? flags[field.flag] : undefined}
      fault={field.flag === at ? why! : null}
      change={(value) => change(field.flag, value)}
    />
  );
  const found = fields.filter(({ flag, help }) =>
    `${flag} ${help}`.toLowerCase().includes(words.toLowerCase()),
  );
  const groups = [...new Set(fields.map(({ group }) => group))].filter((group) => group !== essentials);
  return (
    <form class="settings" onSubmit={(event) => event.preventDefault()}>
      <div class="grid">{fields.filter(({ group }) => group === essentials).map(input)}</div>
      <input
        type="search"
        aria-label="find a setting"
        placeholder={`find one of ${fields.length} settings`}
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      {words !== '' ? (
        <div class="grid">
          {found.length > 0 ? found.map(input) : <p class="soft">No setting has these words.</p>}
        </div>
      ) : (
        groups.map((group) => {
          const own = fields.filter((field) => field.group === group);
          const given = own.filter(({ flag }) => Object.hasOwn(flags, flag)).length;
          return (
            <details key={group} open={own.some(({ flag }) => flag === at)}>
              <summary>
                {group}{' '}
                <small class="soft">{given > 0 ? `${given} of ${own.length} given` : own.length}</small>
              </summary>
              <div class="grid">{own.map(input)}</div>
            </details>
          );
        })
      )}
    </form>
  );
}
