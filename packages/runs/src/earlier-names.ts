/** Names and values that settings had in earlier versions: the configuration of any run is read under today's. */
const names: Readonly<Record<string, string>> = {
  'model.path': 'policy',
  'start.init': 'init',
  'play.games': 'games',
  'evaluation.games': 'evaluation.episodes',
  'speech.maxTextTokens': 'speech.maxPromptTokens',
  'speech.maxPromptLength': 'speech.maxPromptTokens',
  'optimization.iterations': 'optimization.passes',
  'optimization.epochs': 'optimization.passes',
  'optimization.warmupSteps': 'optimization.warmup',
  'dataset.maxUpdates': 'optimization.updates',
};

/** A preset of earlier versions stands for one of today's, with a form of observing. */
const presets: Readonly<Record<string, { readonly preset: string; readonly observe: string }>> = {
  'tiny-image': { preset: 'tiny', observe: 'image' },
};

/** Whether a name is one of today's, where an earlier name has a meaning of its own. */
export type IsName = (path: string) => boolean;

/** Today's name of a setting, such as `policy` for `model.path`. */
export function nameToday(path: string, isName: IsName = () => false): string {
  return (isName(path) ? undefined : names[path]) ?? path;
}

type Group = Readonly<Record<string, unknown>>;

/**
 * Settings under today's names and with today's presets, those that a run keeps as `given` too; a setting with both names
 * keeps today's.
 */
export function underNamesToday<Settings extends object>(asked: Settings, isName?: IsName): Settings {
  let settings = asked as Group;
  for (const before of Object.keys(names)) {
    const today = nameToday(before, isName);
    const [group, name] = before.split('.') as [string, string];
    const { [name]: value, ...others } = (settings[group] ?? {}) as Group;
    if (value === undefined || today === before) continue;
    const { [group]: _emptied, ...rest } = settings;
    const left = Object.keys(others).length > 0 ? { ...rest, [group]: others } : rest;
    settings = placed(left, today.split('.'), value);
  }
  settings = underPresetToday(settings);
  const { given } = settings;
  return (isGroup(given) ? { ...settings, given: underNamesToday(given, isName) } : settings) as Settings;
}

/** With today's preset; a given form of observing stays. */
function underPresetToday(settings: Group): Group {
  const { preset: before } = settings;
  if (typeof before !== 'string' || !Object.hasOwn(presets, before)) return settings;
  const { preset, observe } = presets[before]!;
  return placed({ ...settings, preset }, ['speech', 'observe'], observe);
}

/** With a value where there is none. */
function placed(settings: Group, [name, inner]: readonly string[], value: unknown): Group {
  const there = settings[name!];
  if (inner === undefined) return { ...settings, [name!]: there ?? value };
  return { ...settings, [name!]: placed((there ?? {}) as Group, [inner], value) };
}

function isGroup(value: unknown): value is Group {
  return typeof value === 'object' && value !== null;
}
