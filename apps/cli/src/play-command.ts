/** `emac play GAME`. */
import { command } from './command.ts';
import { integer, text, toggle, type Values } from './option.ts';

const options = {
  commands: text({ help: 'file with one command a line; - reads standard input', default: null }),
  json: toggle('print one JSON object a line: first the reset, then every command'),
  frames: text({ help: 'folder for a picture of every step: step-000.png, step-001.png, …', default: null }),
  'max-steps': integer([1, 1_000_000], {
    help: 'commands after which the game ends',
    default: null,
    defaultText: 'no limit',
  }),
};

export type PlayValues = Values<typeof options>;

export const playCommand = command({
  name: 'play',
  summary: 'play a game by hand or from a file',
  argument: { name: 'game', help: 'a *.tw-pddl file, a folder with one, or e.g. builtin:valid_unseen/0' },
  options,
  run: async (values, game, io) => (await import('./play.ts')).play(game, values, io),
});
