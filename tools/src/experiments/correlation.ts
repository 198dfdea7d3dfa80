/** Correlations of two lists of numbers. */

/** Pearson's; null if one of the lists is constant. */
export function pearson(one: readonly number[], other: readonly number[]): number | null {
  const [a, b] = [centred(one), centred(other)];
  const scale = Math.sqrt(dot(a, a) * dot(b, b));
  return scale === 0 ? null : dot(a, b) / scale;
}

/** Spearman's: Pearson's of the ranks, where equal values share the mean of theirs. */
export function spearman(one: readonly number[], other: readonly number[]): number | null {
  return pearson(ranks(one), ranks(other));
}

function centred(values: readonly number[]): number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.every((value) => value === values[0])
    ? values.map(() => 0)
    : values.map((value) => value - mean);
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, place) => sum + value * b[place]!, 0);
}

function ranks(values: readonly number[]): number[] {
  const order = values.map((_, place) => place).sort((a, b) => values[a]! - values[b]!);
  const found = new Array<number>(values.length);
  for (let first = 0; first < order.length;) {
    let end = first + 1;
    while (end < order.length && values[order[end]!] === values[order[first]!]) end++;
    for (let place = first; place < end; place++) found[order[place]!] = (first + end - 1) / 2;
    first = end;
  }
  return found;
}
