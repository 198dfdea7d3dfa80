/**
 * Every key that transformers' configuration classes know (4.57.1 and 5.24.0, `tools/reference/write_config_keys.py`) is read, refused by
 * name, or stands below among those that change no number here. Each is changed in a folder's configuration.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { EmacError } from '@emac/core';
import { modelFolder } from '@emac/emma-tiny';
import { describe, expect, it } from 'vitest';

import { readJsonObject, type JsonObject } from '../files/json-object.ts';
import { familyOf } from './families.ts';

const at = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

const { common, families } = readJsonObject(at('fixtures/config-keys.json')) as {
  /** keys with their defaults: those of all classes, then by family and section, '' being the top */
  readonly common: JsonObject;
  readonly families: Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;
};

/** Keys that change no number, by the reason. Those of all classes set training, labels, and generation, which has its own settings here. */
const idle = new Set([
  ...Object.keys(common),
  // training's beginning and dropout
  ...['initializer_range', 'initializer_factor', 'attention_dropout', 'hidden_dropout_prob'],
  ...['attention_probs_dropout_prob'],
  // how it is computed
  ...['use_cache', 'pretraining_tp'],
  // videos, and tokens that a chat template writes
  ...['video_token_id', 'vision_start_token_id', 'vision_end_token_id', 'tokens_per_second'],
  // transformers sets them from other keys, or reads them in other classes alone
  ...['use_decoder_only_language_model', 'encoder_hidden_size', 'image_seq_length', 'projection_dim'],
]);
/** a section's own: CLIP's text; windows, where `use_sliding_window` and `layer_types` ask for none */
const idleIn: Readonly<Record<string, readonly string[]>> = {
  'llava vision_config': ['vocab_size'],
  'llava_next vision_config': ['vocab_size'],
  'llava text_config': ['max_window_layers', 'sliding_window', 'use_sliding_window'],
  'qwen2_vl text_config': ['max_window_layers', 'sliding_window'],
  'qwen2_5_vl text_config': ['max_window_layers', 'sliding_window'],
};

/** A folder's configuration of each family, with windows in Qwen's layers. */
function baseOf(family: string): JsonObject {
  const known: Readonly<Record<string, string>> = {
    instructblip: modelFolder,
    llava_next: at('fixtures/families/llava_next_mistral'),
  };
  const isText = !('vision_config' in families[family]!) && family !== 'instructblip';
  const folder = known[family] ?? at(`fixtures/${isText ? 'text' : 'families'}/${family}`);
  const { layer_types: types, ...base } = readJsonObject(join(folder, 'config.json'));
  if (!/^qwen[23]$/.test(family)) return types === undefined ? base : { ...base, layer_types: types };
  return { ...base, use_sliding_window: true, sliding_window: 8, max_window_layers: 1 };
}

/** Sections of a family, with the keys of the language model's own class. */
function sectionsOf(family: string): readonly (readonly [string, JsonObject])[] {
  const type = (baseOf(family)['text_config'] as JsonObject | undefined)?.['model_type'];
  const text = typeof type === 'string' ? families[type]?.[''] : undefined;
  return Object.entries({ ...(text && { text_config: text }), ...families[family]! });
}

type Outcome = 'read' | 'refused' | 'idle';

function outcomes(family: string, section: string, keys: JsonObject): ReadonlyMap<string, Outcome> {
  const base = baseOf(family);
  const inner = section === '' ? base : ((base[section] ?? base) as JsonObject);
  const read = (object: JsonObject) => {
    const place = section === '' || !(section in base) ? object : { ...base, [section]: object };
    return JSON.stringify(familyOf(base, 'config.json').config(place, 'config.json'));
  };
  const known = [...Object.keys({ ...common, ...keys }), 'rope_type', 'head_dim'];
  const outcome = (key: string, usual: unknown): Outcome => {
    const { rope_scaling: scaling, ...unscaled } = inner;
    const from =
      key === 'rope_parameters'
        ? unscaled
        : { ...inner, ...(scaling !== undefined && { rope_scaling: scaling }) };
    const value = key === 'rope_parameters' ? { ...(usual as object), ...(scaling as object) } : inner[key];
    // a class may have another default than the others
    const values = typeof usual === 'boolean' ? [true, false] : [other(value ?? usual)];
    try {
      return values.every((each) => read({ ...from, [key]: each }) === read(inner)) ? 'idle' : 'read';
    } catch (thrown) {
      if (!(thrown instanceof EmacError)) throw thrown;
      expect(
        known.filter((each) => thrown.message.includes(each)),
        `${key}: ${thrown.message}`,
      ).not.toEqual([]);
      return 'refused';
    }
  };
  return new Map(Object.entries({ ...common, ...keys }).map(([key, usual]) => [key, outcome(key, usual)]));
}

/** Another value of the same kind. */
function other(value: unknown): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value === 0 ? 0.5 : value * 2;
  if (typeof value === 'string')
    return value === 'full_attention' ? 'sliding_attention' : value.replace(/^.*$/, 'unheard');
  if (Array.isArray(value)) return [other(value[0] ?? 7), ...value.slice(1)];
  if (value === null || value === undefined) return 7;
  return { ...(value as object), rope_type: 'yarn', factor: 4 };
}

describe.each(Object.keys(families))('the configuration of %s', (family) => {
  const all = sectionsOf(family).map(([section, keys]) => ({
    section,
    outcome: outcomes(family, section, keys),
  }));

  it('has no key that changes numbers and is neither read nor refused', () => {
    for (const { section, outcome } of all) {
      const own = [...idle, ...(idleIn[`${family} ${section}`] ?? [])];
      const silent = [...outcome].filter(([key, each]) => each === 'idle' && !own.includes(key));
      expect(silent, section).toEqual([]);
      // what stands in the list changes nothing
      const heard = [...outcome].filter(([key, each]) => each !== 'idle' && own.includes(key));
      expect(
        heard.map(([key]) => key).filter((key) => key !== 'tie_word_embeddings'),
        section,
      ).toEqual([]);
    }
    expect(all.some(({ outcome }) => outcome.get('tie_word_embeddings') === 'read')).toBe(true);
  });

  it('has as many keys as the README counts', () => {
    const count = (wanted: Outcome) =>
      all.reduce(
        (sum, { outcome }) => sum + [...outcome.values()].filter((each) => each === wanted).length,
        0,
      );
    const row = new RegExp(`^\\| \`${family}\` \\| (\\d+) \\| (\\d+) \\| (\\d+) \\|$`, 'm');
    const counts = row
      .exec(readFileSync(at('README.md'), 'utf8'))
      ?.slice(1)
      .map(Number);
    expect(counts).toEqual([count('read'), count('refused'), count('idle')]);
  });
});

it('a part of the pairs of a head is refused wherever it stands', () => {
  const config = (object: JsonObject) => familyOf(object, 'config.json').config(object, 'config.json');
  expect(() => config({ model_type: 'llama', partial_rotary_factor: 0.5 })).toThrow(
    /^config\.json: partial_rotary_factor must be 1, got 0\.5/,
  );
  expect(() => config({ model_type: 'llama', rope_parameters: { partial_rotary_factor: 0.5 } })).toThrow(
    /^rope_parameters: partial_rotary_factor must be 1, got 0\.5/,
  );
});
