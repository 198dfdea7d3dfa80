/** `emac games list`, `emac games verify PATH` and `emac games generate`. */
import { taskTypes } from '@emac/core';
import { command } from './command.ts';
import { choice, integer, requiredText, text, toggle, type Values } from './option.ts';

const type = choice(taskTypes, { help: 'only games of this task type', default: null });

const listOptions = {
  games: text({
    help: 'builtin:train, builtin:valid_seen, builtin:valid_unseen, a *.tw-pddl file, or a folder',
    default: 'builtin:valid_unseen',
  }),
  type,
  json: toggle('print the list as JSON on standard output'),
};

const verifyOptions = { json: toggle('print the result as JSON on standard output') };

const generateOptions = {
  out: requiredText('the folder for <task>/<trial>/game.tw-pddl'),
  count: integer([1, 10_000], { help: 'games to make', default: 1 }),
  seed: integer([0, 4_294_967_295], { help: 'the same seed gives the same games', default: 0 }),
  dialect: choice(['put', 'move'], {
    help: 'how things are put down: put X in/on Y, or move X to Y',
    default: 'move',
  }),
  type,
};

export type GamesListValues = Values<typeof listOptions>;
export type GamesVerifyValues = Values<typeof verifyOptions>;
export type GamesGenerateValues = Values<typeof generateOptions>;

export const gamesListCommand = command({
  name: 'games list',
  summary: 'list games with their task types; files are read, not played',
  options: listOptions,
  run: async (values, _argument, io) => (await import('./games-list.ts')).printGames(values, io),
});

export const gamesVerifyCommand = command({
  name: 'games verify',
  summary: 'play the walkthrough and a shortest plan of every game',
  argument: { name: 'path', help: 'a *.tw-pddl file, or a folder searched for them' },
  options: verifyOptions,
  run: async (values, path, io) => (await import('./games-verify.ts')).verifyGames(path, values, io),
});

export const gamesGenerateCommand = command({
  name: 'games generate',
  summary: 'make new games, each with its walkthrough',
  options: generateOptions,
  run: async (values, _argument, io) => (await import('./games-generate.ts')).generateGames(values, io),
});
