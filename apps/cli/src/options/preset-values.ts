/** The presets' values of a setting; both phases if they differ. */
import { presetNames, type Phase, type PresetName } from '@emac/algorithms';
import { presetConfig } from '@emac/settings';
import type { Setting } from './setting.ts';

export { presetNames };

const phases = ['bc', 'dpo'] as const satisfies readonly Phase[];

/** In the form of the setting's flag; null if the preset has no value. */
export function presetText(
  path: string,
  shown: Setting['shown'],
  preset: PresetName = 'tiny',
): string | null {
  const [bc, dpo] = phases
    .map((phase) => presetValue(path, preset, phase))
    .map((value) => (value === undefined ? null : shown(value)));
  return bc === dpo ? bc! : `${bc} bc, ${dpo} dpo`;
}

/** True if presets differ, or only some have a value. */
export function isOfPreset(path: string): boolean {
  const said = presetNames.flatMap((preset) =>
    phases.map((phase) => JSON.stringify(presetValue(path, preset, phase)) ?? null),
  );
  return new Set(said).size > 1;
}

function presetValue(path: string, preset: PresetName, phase: Phase): unknown {
  const { preset: _itself, ...said } = presetConfig(preset, phase);
  return path
    .split('.')
    .reduce<unknown>((group, name) => (group as Record<string, unknown> | undefined)?.[name], said);
}
