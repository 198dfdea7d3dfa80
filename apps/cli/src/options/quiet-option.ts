import { toggle } from './option.ts';

/** For every long command. */
export const quietOption = {
  quiet: toggle('print only the result, warnings and errors, no progress'),
  verbose: toggle('print a line for every game as well'),
};
