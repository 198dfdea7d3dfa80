/** The asked run in a page's address: `?method=ppo&environment=…&policy=mlp&from=RUN&set=lr%3D0.01&set=traces`. */
import type { Asked } from '../components/address.ts';
import type { AskedRun, SettingField } from '../data/start.ts';

export type Flags = AskedRun['flags'];

/** The run that an address asks for. Empty values stand for none. */
export function askedRun(asked: Asked): AskedRun {
  const one = (name: string) => asked[name]?.[0] || null;
  return {
    kind: 'train',
    method: one('method') ?? 'bc',
    environment: one('environment'),
    policy: one('policy'),
    from: one('from'),
    flags: Object.fromEntries((asked['set'] ?? []).map(flagIn)),
  };
}

/** The change of an address to another run. */
export function askedAddress({ method, environment, policy, from, flags }: AskedRun): Asked {
  const one = (value: string | null) => (value === null ? [] : [value]);
  return {
    method: [method],
    environment: one(environment),
    policy: one(policy),
    from: one(from),
    set: Object.entries(flags).map(([flag, value]) => (value === true ? flag : `${flag}=${value}`)),
  };
}

/** Without what has no effect for its method, environment and policy. */
export function withFields(run: AskedRun, fields: readonly SettingField[]): AskedRun {
  const known = new Set(fields.map(({ flag }) => flag));
  const flags = Object.entries(run.flags).filter(([flag]) => known.has(flag));
  return { ...run, flags: Object.fromEntries(flags) };
}

/** Another value of a flag; null: as without it. */
export function withFlag(flags: Flags, flag: string, value: string | true | null): Flags {
  const { [flag]: _before, ...others } = flags;
  return value === null ? others : { ...others, [flag]: value };
}

/** Of a command's flags, such as `--lr 0.001` or `--traces`. Those without a place in a form are left out there. */
export function flagsIn(changed: readonly string[]): Flags {
  return Object.fromEntries(
    changed.map((text): [string, string | true] => {
      const place = text.indexOf(' ');
      return place < 0 ? [text.slice(2), true] : [text.slice(2, place), text.slice(place + 1)];
    }),
  );
}

function flagIn(text: string): [string, string | true] {
  const place = text.indexOf('=');
  return place < 0 ? [text, true] : [text.slice(0, place), text.slice(place + 1)];
}
