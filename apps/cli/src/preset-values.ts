/** What presets say, for `--help`: each flag's value under the default preset, and all presets in a table. */
import { presetNames, presetSettings, type PresetName, type TrainingSettings } from '@emac/trainer';
import { speechDefaults } from './model-options.ts';
import { presetSpeech } from './preset-speech.ts';

export type PresetField = keyof TrainingSettings;

/** A field's value under a preset, both where the phases differ. */
export function presetValues(field: PresetField, preset: PresetName = 'tiny'): string {
  return presetText((settings) => shown(field, settings), preset);
}

/** The same of anything that settings say. */
export function presetText(
  of: (settings: TrainingSettings) => string | number,
  preset: PresetName = 'tiny',
): string {
  const [bc, dpo] = (['bc', 'dpo'] as const).map((phase) => String(of(presetSettings(preset, phase))));
  return bc === dpo ? bc! : `${bc} bc, ${dpo} dpo`;
}

/** As the field's flag takes it. */
function shown(field: PresetField, settings: TrainingSettings): string {
  switch (field) {
    case 'lossScaling':
      return settings.lossScaling ? 'dynamic' : 'none';
    case 'selection':
      return settings.selection.keep;
    case 'trainOnUnusable':
      return settings.trainOnUnusable ? 'own' : 'skip';
    case 'trainAfter':
      return settings.trainAfter === 'failed-episodes' ? 'failed' : settings.trainAfter;
    default:
      return String(settings[field] ?? 'none');
  }
}

const columns: readonly (readonly [string, PresetField])[] = [
  ['rounds', 'rounds'],
  ['games-per-round', 'gamesPerRound'],
  ['max-steps', 'maxSteps'],
  ['stop-repeating', 'stopRepeating'],
  ['train-after', 'trainAfter'],
  ['train-on', 'selection'],
  ['agreed', 'agreed'],
  ['unusable-labels', 'trainOnUnusable'],
  ['updates-per-episode', 'updatesPerEpisode'],
  ['batch-size', 'batchSize'],
  ['accumulate', 'accumulate'],
  ['lr', 'learningRate'],
  ['warmup', 'warmup'],
  ['schedule', 'schedule'],
  ['clip-norm', 'clipNorm'],
  ['loss-scaling', 'lossScaling'],
  ['beta', 'beta'],
  ['mix-ratio', 'mixRatio'],
];

const spoken = ['beams', 'min-length', 'max-length'] as const;

/** The values of every preset, one line for each flag. */
export function presetTable(): string {
  const head = ['', ...presetNames];
  const trained = columns.map(([name, field]) => [
    name,
    ...presetNames.map((preset) => presetValues(field, preset)),
  ]);
  const said = spoken.map((name) => [
    name,
    ...presetNames.map((preset) => String(presetSpeech(name, preset) ?? speechDefaults[name])),
  ]);
  const rows = [...trained, ...said];
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]!.length)));
  const lines = [head, ...rows].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
  return ['Presets:', ...lines.map((line) => `  ${line}`)].join('\n');
}
