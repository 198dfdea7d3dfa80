/** The settings that a schema states, with what a person sees of each. */
import type { Flag } from '@emac/algorithms';
import { z } from 'zod';

export type SettingNode = z.core.JSONSchema.BaseSchema & Partial<Flag>;

/** A setting, or a group of some. */
export interface StatedSetting {
  readonly path: readonly string[];
  readonly node: SettingNode;
  /** names of conditions, those of its groups included */
  readonly when: readonly string[];
  /** its group */
  readonly within?: StatedSetting;
}

const statedOf = new WeakMap<z.ZodType, readonly StatedSetting[]>();

/** Every setting and group of a schema, in its order, a group before its members. */
export function statedSettings(schema: z.ZodType): readonly StatedSetting[] {
  const before = statedOf.get(schema);
  if (before) return before;
  const node = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as SettingNode;
  const stated = membersOf({ path: [], node, when: [] });
  statedOf.set(schema, stated);
  return stated;
}

function membersOf(group: StatedSetting): StatedSetting[] {
  const { path, node, when } = group;
  const inside = [node, ...(node.anyOf ?? [])].flatMap(({ properties, prefixItems }) =>
    Object.entries(properties ?? prefixItems ?? {}),
  );
  return inside.flatMap(([name, member]) => {
    if (typeof member !== 'object') return [];
    const stated = member as SettingNode;
    const named = [stated, ...((stated.anyOf ?? []) as SettingNode[])].flatMap((each) => each.when ?? []);
    const needs = named.includes('always') ? named : [...when, ...named];
    const setting = { path: [...path, name], node: stated, when: needs, within: group };
    return [setting, ...membersOf(setting)];
  });
}
