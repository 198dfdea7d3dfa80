/** The bounds of a Slice: they may count from the end, lie outside or be symbols. */
import type { Dimension } from '@emac/graph';
import type { NodeReader } from './node-reader.ts';

export interface SliceBounds {
  readonly axis: number;
  readonly start: Dimension;
  readonly end: Dimension;
  readonly step: number;
}

/** The sections cut by a Slice, or null if its bounds are unknown. */
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

/** Whether a bound is numeric. */
export const isNumericBound = (
  bound: SliceBounds,
): bound is SliceBounds & { readonly start: number; readonly end: number } =>
  typeof bound.start === 'number' && typeof bound.end === 'number';

/** The indices that a numeric Slice takes from an axis. */
export function sliceIndices(
  size: number,
  { start, end, step }: { readonly start: number; readonly end: number; readonly step: number },
): number[] {
  const within = (place: number, low: number, high: number) =>
    Math.max(low, Math.min(high, place < 0 ? place + size : place));
  const from = step > 0 ? within(start, 0, size) : within(start, 0, size - 1);
  // for negative steps, −1 means "before the first element", given as an end of −size − 1 or less
  const to = step > 0 ? within(end, 0, size) : within(end, -1, size - 1);
  const count = Math.max(0, Math.ceil((to - from) / step));
  return Array.from({ length: count }, (_, index) => from + index * step);
}

const areNumbers = (values: readonly Dimension[]): values is readonly number[] =>
  values.every((value) => typeof value === 'number');
