/** `emac games generate`: writes seeded games to files; it never overwrites one. */
import { generatedGames, taskTypes, writeGame } from '@emac/world';
import { choice, integer, requiredText, type Values } from '../../options/option.ts';
import { say, type Io } from '../../terminal/io.ts';
import { lettingSignalsIn } from '../../terminal/let-signals-in.ts';
import { command } from '../../calling/command.ts';

const options = {
  out: requiredText('output folder, for <task>/<trial>/game.tw-pddl'),
  count: integer([1, 10_000], { help: 'number of games', default: 1 }),
  seed: integer([0, 4_294_967_295], { help: 'seed; equal seeds give equal games', default: 0 }),
  dialect: choice(['put', 'move'], {
    help: 'dialect of the put command: put X in/on Y, or move X to Y',
    default: 'move',
  }),
  type: choice(taskTypes, { help: 'only games of this task type', default: null }),
};

export const gamesGenerateCommand = command({
  options,
  run: (values, _words, io) => generateGames(values, io),
});

/** Makes games below `--out` and prints their paths; returns 0. Errors: `cannot-create`. */
async function generateGames(values: Values<typeof options>, { stdout, stderr }: Io): Promise<number> {
  const { out, count, seed, dialect, type } = values;
  const series = { count, seed, dialect, ...(type === null ? {} : { taskType: type }) };
  for await (const game of lettingSignalsIn(generatedGames(series))) say(stdout, writeGame(out, game));
  say(stderr, `${count} games with seed ${seed} that say ${dialect}, in ${out}`);
  return 0;
}
