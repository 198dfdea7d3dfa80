/** The settings that presets differ in, one line for each flag, for the end of `--help`. */
import { isSetting } from './configured.ts';
import type { OptionTable } from './option.ts';
import type { PresetName } from '@emac/algorithms';
import { isOfPreset, presetNames, presetText } from './preset-values.ts';
import type { Setting } from './setting.ts';

/** A line for each setting of the table whose value is not the same in every preset. */
export function presetTable(table: OptionTable): string {
  const told = new Set<string>();
  const rows = Object.entries(table).flatMap(([name, option]) => {
    if (!isSetting(option) || told.has(option.paths[0]!) || !isOfPreset(option.paths[0]!)) return [];
    told.add(option.paths[0]!);
    return [row(name, option)];
  });
  const head = 'Presets (bc, dpo where they differ):';
  return [head, ...aligned([['', ...presetNames], ...rows]).map((line) => `  ${line}`)].join('\n');
}

/** What a preset leaves open is the flag's default. */
function row(name: string, { paths, shown, defaultText }: Setting): string[] {
  const said = (preset: PresetName) => presetText(paths[0]!, shown, preset) ?? defaultText ?? '';
  return [name, ...presetNames.map((preset) => said(preset).replace(/^(.*) bc, (.*) dpo$/, '$1, $2'))];
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
