/** Refuses settings without effect: the one check of every command and of programs, made from the `when` of each setting. */
import { isDeepStrictEqual } from 'node:util';
import { EmacError } from '@emac/core';
import type { z } from 'zod';
import { nobody, unmet, type Condition, type Subject } from './conditions.ts';
import { merged, valueAtPath } from './merged.ts';
import { statedSettings, type StatedSetting } from './stated-settings.ts';

/** Settings from one place. */
export interface Layer {
  /** e.g. `flag`, `run.yaml` */
  readonly origin: string;
  readonly settings: object;
  /** paths set by the layer itself, if other places complete its lists; without it all of its values */
  readonly paths?: readonly string[];
  /** for other commands too, such as a variable or the `config.yaml` of a run: what has no effect here is left out */
  readonly isShared?: boolean;
}

/** True if the layer itself sets the path or a part of it. */
export function isSaid({ paths }: Pick<Layer, 'paths'>, path: string): boolean {
  const isWithin = (inner: string, outer: string) => inner === outer || inner.startsWith(`${outer}.`);
  return !paths || paths.some((each) => isWithin(path, each) || isWithin(each, path));
}

/** Settings that a program gives. */
export const ofProgram = (settings: object): readonly Layer[] => [{ origin: 'flag', settings }];

export interface JudgedSettings {
  readonly schema: z.ZodType;
  /** weakest first */
  readonly layers: readonly Layer[];
  /** every setting's default, the preset included */
  readonly defaults: object;
  /** one for each of the methods that run after each other: a setting needs an effect with one of them; absent: settings are judged by others alone */
  readonly subjects?: readonly Subject[];
}

/**
 * The given settings, all layers merged. A file may repeat values in use. Errors: `usage`, for a file's settings `config`, naming the
 * first setting without effect.
 */
export function requireEffect<Given = object>({
  schema,
  layers,
  defaults,
  subjects = [nobody],
}: JudgedSettings): Given {
  const over = (below: object) =>
    layers.reduce<unknown>((under, each) => merged(under, each.settings), below);
  const settings = over(defaults) as object;
  let given = over({}) as object;
  for (const setting of statedSettings(schema)) {
    const places = layers.filter((layer) => isGiven(setting, layer, defaults));
    if (places.length === 0) continue;
    const value = valueAtPath(settings, setting.path.join('.'));
    const only = setting.node.only?.[String(value)];
    const when = only === undefined ? setting.when : [...setting.when, only];
    const reasons = subjects.map((subject) => reason(unmet(when, subject, settings), subject));
    if (reasons.includes(null)) continue;
    const place = places.findLast(({ isShared = false }) => !isShared);
    if (place) refuse(setting, place, reasons[0]!);
    given = without(given, setting.path) as object;
  }
  return given as Given;
}

function isGiven({ path, node, within }: StatedSetting, layer: Layer, defaults: object): boolean {
  const place = path.join('.');
  const value = valueAtPath(layer.settings, place);
  if (value === undefined || value === null) return false;
  if (typeof value === 'object' && !node.flag) return false;
  if (isOneWord(within, layer)) return false;
  if (!layer.paths) return !isDeepStrictEqual(value, valueAtPath(defaults, place));
  const parts = Object.keys(node.properties ?? {}).map((part) => `${place}.${part}`);
  return (parts.length > 0 ? parts : [place]).every((each) => isSaid(layer, each));
}

/** True for a group given as a whole, by one of its words. */
function isOneWord(group: StatedSetting | undefined, { settings }: Layer): boolean {
  if (!group) return false;
  const value = valueAtPath(settings, group.path.join('.'));
  return Object.values(group.node.words ?? {}).some((word) => isDeepStrictEqual(word, value));
}

function reason(condition: Condition | null, subject: Subject): string | null {
  if (condition === null) return null;
  const { about, words } = condition;
  return about === null
    ? `belongs to ${words}`
    : `is for ${words}, got --${about} ${String(subject[about])}; leave it out`;
}

function refuse(setting: StatedSetting, layer: Layer, why: string): never {
  const isFile = !layer.paths && layer.origin !== 'flag';
  throw new EmacError(isFile ? 'config' : 'usage', `${placeOf(setting, layer)}: ${why}`);
}

function placeOf({ path, node }: StatedSetting, { origin, settings, paths }: Layer): string {
  const place = path.join('.');
  const value = valueAtPath(settings, place);
  if (origin === 'SETTING=VALUE')
    return `${place}=${typeof value === 'string' ? value : JSON.stringify(value)}`;
  if (origin !== 'flag') return paths ? origin : `--config ${origin}: ${place}`;
  const flag = (value === false && node.off?.flag) || node.flag;
  const word = node.only?.[String(value)] === undefined ? '' : ` ${String(value)}`;
  return flag ? `--${flag}${word}` : place;
}

function without(group: unknown, [name, ...rest]: readonly string[]): unknown {
  if (typeof group !== 'object' || group === null || name === undefined) return group;
  const { [name]: inner, ...others } = group as Readonly<Record<string, unknown>>;
  return rest.length === 0 ? others : { ...others, [name]: without(inner, rest) };
}
