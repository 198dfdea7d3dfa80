/**
 * Bytes as tokens (`<0xE4>`) back to text, as Hugging Face's Rust tokenizers decode them: a run of bytes that is no valid
 * UTF-8 gives one replacement character a byte. The library would keep the run's valid parts and drop a byte order mark.
 */

/** The library's decoder, whose package has no types for it. */
interface Decoder {
  readonly config: { readonly type: string };
  /** of a sequence */
  readonly decoders?: readonly Decoder[];
  text_decoder?: { decode(run: Uint8Array): string };
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Changes the decoder, and those in its sequence. */
export function readBytesAsRust(decoder: Decoder | null): void {
  if (decoder?.config.type === 'ByteFallback') decoder.text_decoder = { decode: decodeRun };
  for (const each of decoder?.decoders ?? []) readBytesAsRust(each);
}

function decodeRun(run: Uint8Array): string {
  try {
    return strict.decode(run);
  } catch {
    return '\uFFFD'.repeat(run.length);
  }
}

/** The library's model, whose package has no types for it. */
interface Model {
  readonly config: { readonly type: string; readonly byte_fallback?: boolean };
  readonly tokens_to_ids: ReadonlyMap<string, number>;
  encode(tokens: readonly string[]): string[];
}

/** Changes a Unigram model with `byte_fallback`: its bytes stand for an unknown text, if it has a token for each; the library forgets them. */
export function writeBytesAsRust(model: Model | null): void {
  if (model?.config.type !== 'Unigram' || model.config.byte_fallback !== true) return;
  const encode = model.encode.bind(model);
  model.encode = (tokens) =>
    encode(tokens).flatMap((token) => {
      if (model.tokens_to_ids.has(token)) return [token];
      const bytes = [...new TextEncoder().encode(token)].map(
        (byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
      );
      return bytes.every((each) => model.tokens_to_ids.has(each)) ? bytes : [token];
    });
}
