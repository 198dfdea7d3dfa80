/** Settings beside those that every run has: chosen by their flag, each with its sentence. */
import type { OfferedSetting } from './catalogue.ts';

interface SettingsProps {
  readonly offered: readonly OfferedSetting[];
  /** texts by flag */
  readonly given: Readonly<Record<string, string>>;
  readonly change: (given: Readonly<Record<string, string>>) => void;
}

export function OtherSettings({ offered, given, change }: SettingsProps) {
  const known = new Map(offered.map((setting) => [setting.flag, setting]));
  const add = (flag: string) => {
    const setting = known.get(flag);
    if (setting) change({ ...given, [flag]: Object.keys(setting.words)[0] ?? '' });
  };
  return (
    <details class="wide" open={Object.keys(given).length > 0}>
      <summary>Other settings</summary>
      {Object.entries(given).map(([flag, text]) => (
        <OneSetting
          key={flag}
          setting={known.get(flag)!}
          text={text}
          change={(next) => change({ ...given, [flag]: next })}
          remove={() => change(Object.fromEntries(Object.entries(given).filter(([other]) => other !== flag)))}
        />
      ))}
      <label>
        Add a setting
        <select id="add-setting" value="" onChange={({ currentTarget }) => add(currentTarget.value)}>
          <option value="">…</option>
          {offered
            .filter(({ flag }) => !Object.hasOwn(given, flag))
            .map(({ flag, about }) => (
              <option key={flag} value={flag}>
                {`${flag}: ${about}`}
              </option>
            ))}
        </select>
      </label>
    </details>
  );
}

interface OneProps {
  readonly setting: OfferedSetting;
  readonly text: string;
  readonly change: (text: string) => void;
  readonly remove: () => void;
}

function OneSetting({ setting: { flag, about, form, words }, text, change, remove }: OneProps) {
  return (
    <div class="setting">
      <label>
        {flag}
        {form === 'word' ? (
          <select value={text} onChange={({ currentTarget }) => change(currentTarget.value)}>
            {Object.keys(words).map((word) => (
              <option key={word}>{word}</option>
            ))}
          </select>
        ) : form === 'switch' ? (
          <input value="on" disabled />
        ) : (
          <input value={text} required onInput={({ currentTarget }) => change(currentTarget.value)} />
        )}
      </label>
      <span class="soft">{about}</span>
      <button type="button" aria-label={`without ${flag}`} onClick={remove}>
        ×
      </button>
    </div>
  );
}
