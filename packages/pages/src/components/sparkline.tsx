/** A small curve of the success while training, from 0 to 100 %, without axes. */
import { percent } from '../data/words.ts';

const [width, height] = [64, 18];

/** Nothing for less than two values. */
export function Sparkline({ shares }: { readonly shares: readonly number[] }) {
  if (shares.length < 2) return null;
  const points = shares.map((share, place) => {
    const x = 1 + ((width - 2) * place) / (shares.length - 1);
    const y = 1 + (height - 2) * (1 - share);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  const said = `while training: ${percent(shares[0]!)} → ${percent(shares.at(-1)!)}`;
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={said}
    >
      <title>{said}</title>
      <polyline points={points.join(' ')} />
    </svg>
  );
}
