/** A small curve of shares, without axes. */

const [width, height] = [64, 18];

/** Nothing for less than two values. */
export function Sparkline({ shares }: { readonly shares: readonly number[] }) {
  if (shares.length < 2) return null;
  const points = shares.map((share, place) => {
    const x = 1 + ((width - 2) * place) / (shares.length - 1);
    const y = 1 + (height - 2) * (1 - share);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  return (
    <svg class="spark" viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden="true">
      <polyline points={points.join(' ')} />
    </svg>
  );
}
