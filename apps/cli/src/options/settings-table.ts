/** A configuration's flags, from its schema alone: names, published aliases, words, ranges and defaults. */
import { isDeepStrictEqual } from 'node:util';
import type { Flag } from '@emac/algorithms';
import { statedSettings, type StatedSetting } from '@emac/settings';
import type { z } from 'zod';
import { formOf, notNull, type Json } from './described-setting.ts';
import { orNull, switched, wordFor, type Form } from './form.ts';
import type { DefaultText, Setting } from './setting.ts';

/** Every setting with a flag, in the schema's order. A group's flag sets each of its members. */
export function settingsTable(
  schema: z.ZodType,
  defaultText: DefaultText = () => null,
): Readonly<Record<string, Setting>> {
  return Object.fromEntries(
    statedSettings(schema).flatMap((stated) => {
      const { flag, off } = stated.node;
      return [
        ...(flag ? [[flag, settingAt(stated, defaultText)] as const] : []),
        ...(off ? [[off.flag, switchedOff(stated, off.help)] as const] : []),
      ];
    }),
  );
}

function settingAt({ path, node, when }: StatedSetting, defaultText: DefaultText): Setting {
  const {
    words,
    none,
    earlier,
    also = [],
    otherwise,
    aliases = [],
    isRequired = false,
  } = node as unknown as Flag;
  const parts = words ? [] : Object.keys(notNull(node).properties ?? {});
  const first = parts.length > 0 ? (notNull(node).properties![parts[0]!] as Json) : node;
  const form = formed(first, { words, none, earlier });
  const shown = (value: unknown): string =>
    words ? wordOf(words, value) : String(value === null && none !== undefined ? none : value);
  const own = path.join('.');
  const paths = [...(parts.length > 0 ? parts.map((part) => `${own}.${part}`) : [own]), ...also];
  const standard = first.default;
  const isSwitch = form.words === null;
  const ofSchema = standard === undefined || standard === null || isSwitch ? null : shown(standard);
  return {
    help: node.description ?? '',
    form,
    default: undefined,
    defaultText: isSwitch ? null : (otherwise ?? defaultText(paths[0]!, shown) ?? ofSchema),
    isRequired,
    paths,
    when,
    shown,
    ...(aliases.length > 0 && { aliases }),
  };
}

interface Words {
  readonly words: Flag['words'] | undefined;
  readonly none: string | undefined;
  readonly earlier: Flag['earlier'];
}

function formed(node: Json, { words, none, earlier = [] }: Words): Form<unknown> {
  if (words) return wordFor(words);
  const form = formOf(notNull(node));
  if (!form) throw new TypeError(`settings: ${JSON.stringify(node['flag'])} takes no single value`);
  const today = none === undefined ? form : orNull(form, none);
  return { ...today, parse: (text) => (earlier.includes(text) ? text : today.parse(text)) };
}

function switchedOff({ path, when }: StatedSetting, help: string): Setting {
  return {
    help,
    form: switched(false),
    default: undefined,
    defaultText: null,
    isRequired: false,
    paths: [path.join('.')],
    when,
    shown: (on) => String(!on),
  };
}

/** The word for an equal value, else the last word, which stands for all other values. */
function wordOf(words: Readonly<Record<string, unknown>>, value: unknown): string {
  const named = Object.keys(words);
  return named.find((word) => isDeepStrictEqual(words[word], value)) ?? named.at(-1)!;
}
