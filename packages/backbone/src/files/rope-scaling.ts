/**
 * Scaled rotary positions as a configuration states them, in `rope_scaling` or (newer files) `rope_parameters`: LLaMA 3's
 * (Dubey et al., arXiv 2407.21783) and linear interpolation (Chen et al., arXiv 2306.15595). Other scalings are rejected.
 */
import { fieldsOf, type Fields } from './json-object.ts';

export type RopeScaling =
  /** every angle is divided by the factor */
  | { readonly type: 'linear'; readonly factor: number }
  /** angles of long wavelengths are divided by the factor, of short ones not at all, with a blend between the two */
  | {
      readonly type: 'llama3';
      readonly factor: number;
      /** wavelengths above `originalPositions` / this are long */
      readonly lowFrequencyFactor: number;
      /** wavelengths below `originalPositions` / this are short */
      readonly highFrequencyFactor: number;
      /** positions of the model before its context was extended */
      readonly originalPositions: number;
    };

/** The scaling of a language model's configuration; null for none. Errors: `config` naming the key. */
export function readRopeScaling(fields: Fields): RopeScaling | null {
  for (const key of ['rope_scaling', 'rope_parameters']) {
    const given = fields.object(key) ?? {};
    const scaling = fieldsOf(given, key);
    for (const [name, value] of Object.entries(given))
      if (typeof value === 'object' && value !== null && !Array.isArray(value))
        scaling.fail(name, 'must be absent: all layers of this model have one set of positions');
    const type = given['rope_type'] ?? given['type'] ?? 'default';
    // versions of transformers disagree about which of the two counts
    if (given['type'] != null && given['type'] !== type)
      scaling.fail('type', `must equal rope_type ${JSON.stringify(type)} where both are there`);
    if (type === 'default') continue;
    if (type !== 'llama3' && type !== 'linear')
      fields.fail(
        key,
        'must be null or of type "default", "linear" or "llama3" (other scaled positions are not supported)',
      );
    const above = (name: string): number => {
      const value = scaling.number(name, NaN);
      return value > 0 ? value : scaling.fail(name, 'must be above 0');
    };
    const factor = above('factor');
    if (type === 'linear') return { type, factor };
    const [lowFrequencyFactor, highFrequencyFactor] = [above('low_freq_factor'), above('high_freq_factor')];
    if (lowFrequencyFactor >= highFrequencyFactor)
      scaling.fail('low_freq_factor', `must be below high_freq_factor ${highFrequencyFactor}`);
    const originalPositions = scaling.positiveInteger('original_max_position_embeddings', null);
    return { type, factor, lowFrequencyFactor, highFrequencyFactor, originalPositions };
  }
  return null;
}
