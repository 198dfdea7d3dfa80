/**
 * Where a prompt's visual tokens stand among its text tokens, and the positions for rotary embeddings. A picture whose
 * tokens have rows and columns can have positions on three axes (Qwen2-VL, arXiv 2409.12191, §2.1).
 */

export interface PromptLayout {
  /** the token at each place: v < N is visual token v, N + t is text token t; [N + L] */
  readonly order: Int32Array;
  /** for each axis the position of each place */
  readonly positions: readonly Int32Array[];
  /** position of the first token after the prompt */
  readonly next: number;
}

/** A picture among text tokens. */
export interface PlacedPicture {
  /** text tokens before it */
  readonly before: number;
  /** its visual tokens */
  readonly tokens: number;
  /** columns of its grid of visual tokens, if positions count rows and columns; absent: counted one by one */
  readonly columns?: number;
}

/** All visual tokens before the text, counted one by one. */
export function visualFirst(visual: number, text: number): PromptLayout {
  const places = Int32Array.from({ length: visual + text }, (_, place) => place);
  return { order: places, positions: [places], next: visual + text };
}

/** Pictures at their places in a text of `text` tokens, in the order of their visual tokens. */
export function picturesWithin(
  pictures: readonly PlacedPicture[],
  { text, axes }: { readonly text: number; readonly axes: 1 | 3 },
): PromptLayout {
  const visual = pictures.reduce((sum, { tokens }) => sum + tokens, 0);
  const order: number[] = [];
  const positions: number[][] = Array.from({ length: axes }, () => []);
  let [read, seen, next] = [0, 0, 0];
  const readText = (end: number) => {
    for (; read < end; read++, next++) {
      order.push(visual + read);
      for (const axis of positions) axis.push(next);
    }
  };
  for (const { before, tokens, columns } of pictures) {
    readText(before);
    const cells = Array.from({ length: tokens }, (_, token) =>
      cellOf(token, axes === 3 ? columns : undefined),
    );
    for (const cell of cells) {
      order.push(seen++);
      positions.forEach((axis, number) => axis.push(next + cell[number]!));
    }
    next += 1 + Math.max(-1, ...cells.flat());
  }
  readText(text);
  return { order: Int32Array.from(order), positions: positions.map((axis) => Int32Array.from(axis)), next };
}

/** Time, row and column of a token in its picture. */
function cellOf(token: number, columns: number | undefined): readonly [number, number, number] {
  return columns === undefined ? [token, token, token] : [0, Math.floor(token / columns), token % columns];
}

/** Number of visual tokens at the start of a prompt. */
export function leadingVisual({ order }: PromptLayout, visual: number): number {
  const end = order.findIndex((each, place) => each !== place || each >= visual);
  return end === -1 ? order.length : end;
}
