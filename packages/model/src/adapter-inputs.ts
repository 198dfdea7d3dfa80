/**
 * Adapter inputs of row networks: A, B and scale, and dropout numbers in training. Dropout is seeded from the adapter's
 * numbers and the rows, so a resumed run drops the same elements.
 */
import {
  adaptedModules,
  adapterFeeds,
  columnNumbers,
  dropoutFeeds,
  projectionWidths,
  rowNumbers,
  type AdapterForm,
  type AdapterValues,
  type LlamaConfig,
} from '@emac/backbone';
import { Random, type GradientRow } from '@emac/core';
import { encodeFloats, sha256 } from '@emac/files';
import type { Feeds, Value } from '@emac/graph';

export interface AdapterInputs {
  /** feeds of A, B and the scale; empty if the networks have no adapters */
  of(values: AdapterValues | null): Feeds;
  /** Feeds of dropout in a run over `positions` positions; without a generator nothing is dropped. */
  dropout(positions: number, random: Random | null): Feeds;
  /** The generator of a gradient's dropout; null without dropout. */
  random(values: AdapterValues | null, rows: readonly GradientRow[]): Random | null;
}

export interface AdapterInputsOptions {
  readonly llama: LlamaConfig;
  readonly form: AdapterForm | null;
  readonly dropout: { readonly rate: number; readonly seed: string };
}

export function adapterInputsOf({ llama, form, dropout }: AdapterInputsOptions): AdapterInputs {
  if (!form) return { of: () => ({}), dropout: () => ({}), random: () => null };
  const known = new WeakMap<object, Feeds>();
  const hashes = new WeakMap<object, string>();
  const base = {};
  return {
    of: (values) => {
      const found = known.get(values ?? base) ?? adapterFeeds(llama, form, values);
      known.set(values ?? base, found);
      return found;
    },
    dropout: (positions, random) => {
      if (!form.dropout) return {};
      const columns = adaptedModules(llama.layers, form).map((module): [string, Value] => {
        const { inWidth } = projectionWidths(llama, module);
        const data = columnNumbers(inWidth, random && random.stream(module));
        return [`${module}.lora_dropout`, { type: 'float32', shape: [inWidth], data }];
      });
      const rows = rowNumbers(positions, random && random.stream('rows'));
      return { ...dropoutFeeds(rows, random ? dropout.rate : 0), ...Object.fromEntries(columns) };
    },
    random: (values, rows) => {
      if (!form.dropout || !values) return null;
      const hash = hashes.get(values) ?? sha256(encodeFloats(values.parameters));
      hashes.set(values, hash);
      return Random.fromSeed(sha256(`${dropout.seed} ${hash} ${rows.map(described).join('\n')}`));
    },
  };
}

function described({ prompt, answers }: GradientRow): string {
  const parts = prompt.map((part) => (part.kind === 'image' ? part.features.key : part));
  return JSON.stringify([parts, answers]);
}
