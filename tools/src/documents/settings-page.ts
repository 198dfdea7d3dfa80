/**
 * docs/reference/settings.md, made from the schemas of `settings` and `datasets`: every setting with its flag, values, default and place in `config.yaml`.
 * `npm run docs:settings` writes it; a test compares.
 */
import { groupMethodNames } from '@emac/algorithms';
import { collectSchema, environmentCollectionSchema, rldsCollectionSchema } from '@emac/datasets';
import {
  conditionWords,
  evaluationSchema,
  grpoSchema,
  ppoSchema,
  servingSchema,
  statedSettings,
  trainSchema,
} from '@emac/settings';
import type { z } from 'zod';

type Json = z.core.JSONSchema.BaseSchema;

const pages: readonly (readonly [string, string, z.ZodType])[] = [
  ['Imitation and preferences', '`emac train --method bc`, `focal-bc`, `dpo`, `sft`', trainSchema],
  ['PPO', '`emac train --method ppo`', ppoSchema],
  ['GRPO', `\`emac train --method ${groupMethodNames.join('`, `')}\``, grpoSchema],
  ['Evaluation', '`emac eval`', evaluationSchema],
  ['Serving', '`emac serve`', servingSchema],
  ['Datasets from games', '`emac collect`', collectSchema],
  ['Datasets from an environment', '`emac collect --env`', environmentCollectionSchema],
  ['Datasets from RLDS', '`emac collect --rlds`', rldsCollectionSchema],
];

const head = `# Settings

Every setting of training, evaluation, serving and collecting. \`config.yaml\` holds the same names in groups; \`--config FILE\` reads it back.
A flag wins over a variable, a variable over a file, a file over a preset. \`emac config show --origin\` prints the winner of each.

- **Default** \`preset\`: the preset decides; \`emac preset NAME\` prints its values.
- **Default** empty: off, or derived from other settings.
- **For**: where the setting has an effect; elsewhere it is refused. Empty: everywhere.

This page is generated from the schemas: \`npm run docs:settings\`.
`;

/** The whole page in Markdown. */
export function settingsPage(): string {
  const sections = pages.map(([title, commands, schema]) => {
    const rows = settingsIn(schema).map((cells) => `| ${cells.map(escaped).join(' | ')} |`);
    const table = [
      '| flag | values | default | meaning | for | in config.yaml |',
      '| --- | --- | --- | --- | --- | --- |',
    ];
    return `\n## ${title}\n\n${commands}\n\n${[...table, ...rows].join('\n')}\n`;
  });
  return head + sections.join('');
}

/** A row for every setting that has words: flag, values, default, meaning, what it is for, path. */
function settingsIn(schema: z.ZodType): string[][] {
  const stated = statedSettings(schema).filter(({ node }) => node.description !== undefined);
  const undecided = stated.some(({ path }) => path.join('.') === 'preset') ? 'preset' : 'required';
  return stated.map(({ path, node, when }) => [
    node.flag ? `\`--${node.flag}\`` : '',
    values(node),
    standard(node) ?? undecided,
    node.description!,
    conditionWords(when).join('; '),
    `\`${path.join('.')}\``,
  ]);
}

function values(node: Json): string {
  const words = node['words'] as Readonly<Record<string, unknown>> | undefined;
  if (words) return Object.keys(words).map(code).join(', ');
  const none = node['none'] as string | undefined;
  const kinds = [...new Set((node.anyOf ?? [node]).map(kind).filter((text) => text !== ''))];
  return [...kinds, ...(none ? [code(none)] : [])].join(', ');
}

function kind({
  type,
  enum: words,
  const: only,
  minimum,
  maximum,
  exclusiveMinimum,
  exclusiveMaximum,
  title,
}: Json): string {
  if (words) return words.map(String).map(code).join(', ');
  if (only !== undefined) return code(String(only));
  if (type === 'boolean') return 'on, off';
  if (type === 'string') return title ?? 'text';
  if (type === 'array') return 'list';
  if (type === 'object') return 'group';
  if (type !== 'integer' && type !== 'number') return '';
  const lowest = exclusiveMinimum === undefined ? `${minimum ?? ''}` : `above ${exclusiveMinimum}`;
  const highest = exclusiveMaximum === undefined ? `${maximum ?? ''}` : `below ${exclusiveMaximum}`;
  const least = lowest.startsWith('above') ? lowest : `from ${lowest}`;
  const range = highest === '' ? least : `${lowest} to ${highest}`;
  return `${type === 'integer' ? 'whole' : 'number'}, ${range}`;
}

/** Null without one. */
function standard(node: Json): string | null {
  const otherwise = node['otherwise'] as string | undefined;
  if (otherwise !== undefined) return otherwise;
  const { default: value } = node;
  if (value === undefined) return null;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (value === null || typeof value === 'object') return (node['none'] as string | undefined) ?? '';
  return code(String(value));
}

const code = (text: string) => `\`${text}\``;

/** A cell of a table: bars would end it, and a tag of HTML would vanish. */
function escaped(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('*', '\\*');
}
