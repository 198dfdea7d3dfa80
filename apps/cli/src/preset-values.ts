/** What presets say, for `--help`: each flag's value under the default preset, and all presets in a table. */
import { presetNames, presetSettings, type PresetName, type TrainingSettings } from '@emac/trainer';

export type PresetField = keyof TrainingSettings;

/** A field's value under a preset, both where the phases differ. */
export function presetValues(field: PresetField, preset: PresetName = 'tiny'): string {
  const [bc, dpo] = [presetSettings(preset, 'bc')[field], presetSettings(preset, 'dpo')[field]].map(String);
  return bc === dpo ? bc! : `${bc} bc, ${dpo} dpo`;
}

const columns: readonly (readonly [string, PresetField])[] = [
  ['rounds', 'rounds'],
  ['games-per-round', 'gamesPerRound'],
  ['max-steps', 'maxSteps'],
  ['updates-per-episode', 'updatesPerEpisode'],
  ['batch-size', 'batchSize'],
  ['accumulate', 'accumulate'],
  ['lr', 'learningRate'],
  ['warmup', 'warmup'],
  ['schedule', 'schedule'],
  ['beta', 'beta'],
  ['mix-ratio', 'mixRatio'],
];

/** The values of every preset, one line for each flag. */
export function presetTable(): string {
  const head = ['', ...presetNames];
  const rows = columns.map(([name, field]) => [
    name,
    ...presetNames.map((preset) => presetValues(field, preset)),
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]!.length)));
  const lines = [head, ...rows].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
  return ['Presets:', ...lines.map((line) => `  ${line}`)].join('\n');
}
