/** Lines of a stream as they arrive, unchanged, empty ones included; a final newline adds none. */
import { StringDecoder } from 'node:string_decoder';

/** Splits UTF-8 at line feeds only. */
export async function* linesIn(chunks: AsyncIterable<Buffer | string>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + (typeof chunk === 'string' ? chunk : decoder.write(chunk))).split('\n');
    rest = lines.pop()!;
    yield* lines;
  }
  rest += decoder.end();
  if (rest !== '') yield rest;
}
