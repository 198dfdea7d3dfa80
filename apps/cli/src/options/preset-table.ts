/** Settings with different values among the presets, one line a flag, for the end of `--help`. */
import { isSetting } from './configured.ts';
import type { OptionTable } from './option.ts';
import { isOfPreset, presetNames, presetText } from './preset-values.ts';
import type { Setting } from './setting.ts';

/** Presets of a command, and their values of settings. */
export interface Presets {
  readonly head: string;
  readonly names: readonly string[];
  /** true if presets set the setting at a path */
  readonly isOf: (path: string) => boolean;
  /** in the form of the setting's flag; null if the preset has no value */
  readonly text: (path: string, shown: Setting['shown'], name: string) => string | null;
}

const ofTraining: Presets = {
  head: 'Presets (bc, dpo where they differ):',
  names: presetNames,
  isOf: isOfPreset,
  text: (path, shown, name) =>
    presetText(
      path,
      shown,
      presetNames.find((each) => each === name),
    ),
};

/** A line for each setting with different values among the presets. */
export function presetTable(table: OptionTable, presets = ofTraining): string {
  const told = new Set<string>();
  const rows = Object.entries(table).flatMap(([name, option]) => {
    if (!isSetting(option) || told.has(option.paths[0]!) || !presets.isOf(option.paths[0]!)) return [];
    told.add(option.paths[0]!);
    return [row(name, option, presets)];
  });
  return [presets.head, ...aligned([['', ...presets.names], ...rows]).map((line) => `  ${line}`)].join('\n');
}

/** Where a preset has no value: the flag's default. */
function row(name: string, { paths, shown, defaultText }: Setting, { names, text }: Presets): string[] {
  const said = (preset: string) => text(paths[0]!, shown, preset) ?? defaultText ?? '';
  return [name, ...names.map((preset) => said(preset).replace(/^(.*) bc, (.*) dpo$/, '$1, $2'))];
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((each) => each[column]!.length)));
  return rows.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}
