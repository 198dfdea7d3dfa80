/** The flags of `emac play`. */
import { wholeSeed } from '../options/form.ts';
import { choice, formed, integer, text, toggle, type Values } from '../options/option.ts';
import { pictureForms } from './terminal-pictures.ts';

export const playOptions = {
  agent: {
    ...text({
      help: 'an agent that plays while you watch: a run or what else emac eval --ckpt takes, or the address of emac serve',
      default: null,
    }),
    aliases: ['ckpt'],
  },
  commands: text({
    help: "file with one command a line; for an environment an action's number, reset, or reset SEED; - reads standard input",
    default: null,
  }),
  json: toggle('print one JSON object a line: first the reset, then every command'),
  seed: formed(wholeSeed, {
    help: 'of an environment: where its chance begins',
    default: null,
    defaultText: '0; ALFWorld games have none',
  }),
  palette: choice(['true', 'legacy-wrapped'], {
    help: 'of MiniGrid: true colours, or bytes wrapped as in the pictures of a published trainer',
    default: null,
    defaultText: 'true',
  }),
  frames: text({ help: 'folder for a picture of every step: step-000.png, step-001.png, …', default: null }),
  show: choice(['auto', ...pictureForms], {
    help: 'for a person: how the terminal shows the frames; auto: as it is known to, half blocks where it has all colours',
    default: 'auto',
  }),
  gif: text({ help: 'file for a film of the game', default: null }),
  'max-steps': integer([1, 1_000_000], {
    help: 'commands after which the game ends',
    default: null,
    defaultText: 'no limit; of an agent as it was trained, else 50; of an environment its own',
  }),
};

export type PlayValues = Values<typeof playOptions>;
