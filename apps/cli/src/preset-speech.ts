/**
 * How the presets say that the student speaks, in tokens of the model, where their sources say it. The published code
 * generates with `num_beams` 5, `min_length` 5, `max_length` 128 and `length_penalty` 0, which is that of every search
 * here.
 */
import type { PresetName } from '@emac/trainer';
import type { SpeechValues } from './model-options.ts';

const published = { beams: 5, 'min-length': 5, 'max-length': 128 };

const speech: Readonly<Record<PresetName, Partial<SpeechValues>>> = {
  paper: { beams: 5, 'max-text-tokens': 1024 }, // Table 9: inference beam, maximum text length
  'published-code': published,
  'small-scale': published, // as in the code that it ran
  tiny: {}, // the shipped model's commands may be shorter than five tokens
};

/** What a preset says in place of a flag; null where it says nothing: the policy before, or the defaults, hold then. */
export function presetSpeech(name: keyof SpeechValues, preset: PresetName): number | null {
  return speech[preset][name] ?? null;
}

/** What is asked of a student's speech when a run begins: by flags, else by the preset. */
export function askedSpeech(values: SpeechValues & { readonly preset: PresetName }): SpeechValues {
  const asked = (name: keyof SpeechValues) => values[name] ?? presetSpeech(name, values.preset);
  return {
    beams: asked('beams'),
    'min-length': asked('min-length'),
    'max-length': asked('max-length'),
    'max-text-tokens': asked('max-text-tokens'),
  };
}
