/** What a Slice cuts: bounds that count from the end, lie outside or are symbols. */
import type { Dimension } from '@emac/graph';
import type { NodeReader } from './node-reader.ts';

export interface SliceBounds {
  readonly axis: number;
  readonly start: Dimension;
  readonly end: Dimension;
  readonly step: number;
}

/** What a Slice cuts, or null where bounds are not known. */
export function sliceBounds(node: NodeReader): readonly SliceBounds[] | null {
  const list = (input: number) => node.inputs[input]?.known?.values ?? null;
  const [starts, ends] = [list(1), list(2)];
  const axes = node.has(3) ? list(3) : (starts?.map((_, axis) => axis) ?? null);
  const steps = node.has(4) ? list(4) : (starts?.map(() => 1) ?? null);
  if (!starts || !ends || !axes || !steps || !areNumbers(axes) || !areNumbers(steps)) return null;
  const rank = node.value(0).shape.length;
  return starts.map((start, index) => ({
    start,
    end: ends[index]!,
    axis: node.axis(axes[index]!, rank),
    step: steps[index]!,
  }));
}

/** Whether a bound has numbers. */
export const isNumericBound = (
  bound: SliceBounds,
): bound is SliceBounds & { readonly start: number; readonly end: number } =>
  typeof bound.start === 'number' && typeof bound.end === 'number';

/** The indices that a Slice with numbers takes from an axis. */
export function sliceIndices(
  size: number,
  { start, end, step }: { readonly start: number; readonly end: number; readonly step: number },
): number[] {
  const within = (place: number, low: number, high: number) =>
    Math.max(low, Math.min(high, place < 0 ? place + size : place));
  const from = step > 0 ? within(start, 0, size) : within(start, 0, size - 1);
  // for steps back, −1 stands for "before the first element", which an end of −size − 1 or less means
  const to = step > 0 ? within(end, 0, size) : within(end, -1, size - 1);
  const count = Math.max(0, Math.ceil((to - from) / step));
  return Array.from({ length: count }, (_, index) => from + index * step);
}

const areNumbers = (values: readonly Dimension[]): values is readonly number[] =>
  values.every((value) => typeof value === 'number');
