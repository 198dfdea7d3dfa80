/**
 * Scaled rotary positions in the three places where they are said: GGUF's metadata, its tensor of factors (Llama 3), and
 * `rope_scaling` of a `config.json`. Llama 3's rule: "Scaling Llama 3 to longer contexts", as in transformers' `_compute_llama3_parameters`
 * and convert_hf_to_gguf.py. GGUF keeps no original length for Llama 3, so that 8192 is assumed where the key is missing.
 */
import { EmacError } from '@emac/core';
import type { Fields, JsonObject } from '@emac/backbone';

import { rotaryFactors } from './tensor-names.ts';
import type { Network, RotaryScaling } from './network.ts';

/** of Llama 3.1 to 3.3 */
const [low, high, usualPositions] = [1, 4, 8192];

/** The scaling in a GGUF file. Errors: `config` naming an unknown scaling. */
export function scalingOfGguf(
  fields: Fields,
  architecture: string,
  { factors, theta, headSize }: { factors: Float32Array | null; theta: number; headSize: number },
): RotaryScaling | null {
  const key = (name: string) => `${architecture}.rope.scaling.${name}`;
  const type = fields.text(key('type'), 'none');
  const original = () =>
    fields.positiveInteger(key('original_context_length'), factors ? usualPositions : null);
  if (factors) {
    if (type !== 'none') return fields.fail(key('type'), `must be none beside a tensor ${rotaryFactors}`);
    const scaling = {
      type: 'llama3',
      factor: Math.max(...factors),
      originalPositions: original(),
    } as const;
    const expected = llama3Factors(scaling, { theta, headSize });
    if (factors.length === expected.length && factors.every((each, index) => close(each, expected[index]!)))
      return scaling;
    throw new EmacError(
      'config',
      `${rotaryFactors}: must hold Llama 3's factors (low 1, high 4, ${scaling.originalPositions} positions), holds others; this scaling of positions is not supported`,
    );
  }
  if (type === 'none') return null;
  const factor = fields.number(key('factor'), 1);
  if (type === 'linear') return { type, factor };
  if (type === 'yarn') return { type, factor, originalPositions: original() };
  return fields.fail(key('type'), 'must be none, linear or yarn');
}

/** The scaling in a `config.json`. Errors: `config` naming an unknown scaling. */
export function scalingOfConfig(
  fields: Fields,
  sectionOf: (object: JsonObject) => Fields,
): RotaryScaling | null {
  const given = fields.object('rope_scaling') ?? fields.object('rope_parameters');
  if (!given) return null;
  const section = sectionOf(given);
  const type = section.text('rope_type', section.text('type', 'default'));
  if (type === 'default') return null;
  const factor = section.number('factor', 1);
  if (type === 'linear') return { type, factor };
  const original = section.positiveInteger('original_max_position_embeddings', null);
  if (type === 'yarn') return { type, factor, originalPositions: original };
  if (type !== 'llama3') return section.fail('rope_type', 'must be default, linear, yarn or llama3');
  const [from, to] = [section.number('low_freq_factor', low), section.number('high_freq_factor', high)];
  if (to !== high * from) section.fail('high_freq_factor', `must be four times low_freq_factor ${from}`);
  return { type, factor, originalPositions: original / from };
}

/** As a `config.json` has it. */
export function configScaling(scaling: RotaryScaling | null): JsonObject | null {
  if (!scaling) return null;
  const { type, factor } = scaling;
  if (type === 'linear') return { rope_type: type, factor };
  const shared = { rope_type: type, factor, original_max_position_embeddings: scaling.originalPositions };
  return type === 'yarn' ? shared : { ...shared, low_freq_factor: low, high_freq_factor: high };
}

/** Divisors of the frequencies θ^(−2i/d), [headSize / 2]. */
export function llama3Factors(
  { factor, originalPositions }: Extract<RotaryScaling, { type: 'llama3' }>,
  { theta, headSize }: { readonly theta: number; readonly headSize: number },
): Float32Array<ArrayBuffer> {
  return Float32Array.from({ length: headSize / 2 }, (_, index) => {
    const wavelength = 2 * Math.PI * theta ** ((2 * index) / headSize);
    if (wavelength < originalPositions / high) return 1;
    if (wavelength > originalPositions / low) return factor;
    const smooth = (originalPositions / wavelength - low) / (high - low);
    return 1 / ((1 - smooth) / factor + smooth);
  });
}

/** Entries of GGUF's metadata. */
export function scalingMetadata({
  architecture,
  scaling,
}: Network): [string, string | number | { float: number }][] {
  if (!scaling) return [];
  const key = (name: string) => `${architecture}.rope.scaling.${name}`;
  if (scaling.type === 'llama3')
    return scaling.originalPositions === usualPositions
      ? []
      : [[key('original_context_length'), scaling.originalPositions]];
  return [
    [key('type'), scaling.type],
    [key('factor'), { float: scaling.factor }],
    ...(scaling.type === 'yarn'
      ? [[key('original_context_length'), scaling.originalPositions] as [string, number]]
      : []),
  ];
}

function close(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-4 * b;
}
