/** The settings that presets differ in, one line for each flag, for the end of `--help`. */
import { isSetting } from './configured.ts';
import type { OptionTable } from './option.ts';
import { isOfPreset, presetNames, presetText } from './preset-values.ts';
import type { Setting } from './setting.ts';

/** Presets of a command, and what they say of settings. */
export interface Presets {
  readonly head: string;
  readonly names: readonly string[];
  /** whether they differ in the setting at a path */
  readonly isOf: (path: string) => boolean;
  /** as the setting's flag takes it; null where the preset says nothing */
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

/** A line for each setting of the table whose value is not the same in every preset. */
export function presetTable(table: OptionTable, presets = ofTraining): string {
  const told = new Set<string>();
  const rows = Object.entries(table).flatMap(([name, option]) => {
    if (!isSetting(option) || told.has(option.paths[0]!) || !presets.isOf(option.paths[0]!)) return [];
    told.add(option.paths[0]!);
    return [row(name, option, presets)];
  });
  return [presets.head, ...aligned([['', ...presets.names], ...rows]).map((line) => `  ${line}`)].join('\n');
}

/** What a preset leaves open is the flag's default. */
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
