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
