/** The flags of `emac play`. */
import { wholeSeed } from '../options/form.ts';
import { choice, formed, integer, text, toggle, type Values } from '../options/option.ts';
import { pictureForms } from './terminal-pictures.ts';

export const playOptions = {
  agent: {
    ...text({
      help: 'watch this agent play: any --policy of emac eval, or the address of emac serve',
      default: null,
    }),
    aliases: ['ckpt'],
  },
  commands: text({
    help: "file with one command a line (- for standard input); in an environment an action's number, reset, or reset SEED",
    default: null,
  }),
  json: toggle('print one JSON object a line: first the reset, then every command'),
  seed: formed(wholeSeed, {
    help: 'in an environment: seed of the first episode',
    default: null,
    defaultText: '0; ALFWorld games have none',
  }),
  palette: choice(['true', 'legacy-wrapped'], {
    help: 'MiniGrid: true colours, or bytes wrapped like a published trainer’s',
    default: null,
    defaultText: 'true',
  }),
  frames: text({ help: 'folder for a picture of every step: step-000.png, step-001.png, …', default: null }),
  show: choice(['auto', ...pictureForms], {
    help: 'form of frames in the terminal; auto: the terminal’s known form, else half blocks with full colours',
    default: 'auto',
  }),
  gif: text({ help: 'file for a film of the game', default: null }),
  'max-steps': integer([1, 1_000_000], {
    help: 'step limit',
    default: null,
    defaultText: 'none; for an agent its training’s, else 50; for an environment its own',
  }),
};

export type PlayValues = Values<typeof playOptions>;
