/** A limit on what a stranger's normalizer makes of a text: thirty replacements of a letter by two would make a billion letters of one. */
import { EmacError } from '@emac/core';

/** The library's normalizer, whose package has no types for it. */
export interface Normalizer {
  normalize(text: string): string;
  /** of a sequence */
  readonly normalizers?: readonly (Normalizer | null)[];
}

/** characters that are always allowed, and how many for each of the text: Unicode's own forms make at most 18 */
const most = { always: 1_000_000, perCharacter: 20 } as const;

/** Changes the normalizer so that it throws `data` for a text that grows further. */
export function limitGrowth(normalizer: Normalizer | null, file: string): void {
  if (!normalizer) return;
  const parts = partsOf(normalizer);
  normalizer.normalize = (text) =>
    parts.reduce((before, part) => grownWithin(() => part(before), { text, file }), text);
}

function partsOf(normalizer: Normalizer): readonly ((text: string) => string)[] {
  const { normalizers } = normalizer;
  if (normalizers) return normalizers.flatMap((part) => (part ? partsOf(part) : []));
  const normalize = normalizer.normalize.bind(normalizer);
  return [normalize];
}

function grownWithin(
  normalized: () => string,
  { text, file }: { readonly text: string; readonly file: string },
): string {
  const limit = most.always + most.perCharacter * text.length;
  const failed = (found: string) =>
    new EmacError(
      'data',
      `${file}: its normalizer may make ${limit} characters of a text of ${text.length}, makes ${found}; give the file that the model was published with`,
    );
  try {
    const result = normalized();
    if (result.length > limit) throw failed(String(result.length));
    return result;
  } catch (thrown) {
    // a text longer than JavaScript's can be
    throw thrown instanceof RangeError ? failed('more than a text can hold') : thrown;
  }
}
