/** The words without a flag that commands with settings take. */
import type { Argument } from './command.ts';

export const settingWords: Argument = {
  name: 'settings',
  help: 'SETTING=VALUE, as in config.yaml: optimization.learningRate=3e-4',
  isMany: true,
  otherwise: [],
};
