/** `emac games generate`: seeded games as files; one that is there already is never overwritten. */
import { generatedGames, writeGame } from '@emac/world';
import type { GamesGenerateValues } from './games-commands.ts';
import { say, type Io } from './io.ts';
import { lettingSignalsIn } from './let-signals-in.ts';

/** Makes games below `--out` and prints their paths; returns 0. Errors: `cannot-create`. */
export async function generateGames(values: GamesGenerateValues, { stdout, stderr }: Io): Promise<number> {
  const { out, count, seed, dialect, type } = values;
  const series = { count, seed, dialect, ...(type === null ? {} : { taskType: type }) };
  for await (const game of lettingSignalsIn(generatedGames(series))) say(stdout, writeGame(out, game));
  say(stderr, `${count} games with seed ${seed} that say ${dialect}, in ${out}`);
  return 0;
}
