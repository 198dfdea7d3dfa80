/** `emac env new`: the package of a custom environment, from a template. */
import { environmentTemplates, writeNewEnvironment, type EnvironmentTemplate } from '@emac/opening';
import { choice, toggle } from '../../options/option.ts';
import { say } from '../../terminal/io.ts';
import { shellWord } from '../../terminal/shell-word.ts';
import { command } from '../../calling/command.ts';

export const envNewCommand = command({
  options: {
    template: choice<EnvironmentTemplate, EnvironmentTemplate>(environmentTemplates, {
      help: 'what to begin with: a game of rooms, or calls of tools in text',
      default: 'game',
    }),
    typescript: toggle(
      'sources in TypeScript, checked against the exported types; npm run build compiles them',
    ),
  },
  run: ({ template, typescript }, [name], { stdout }) => {
    const files = writeNewEnvironment(name!, { template, isTyped: typescript });
    const path = shellWord(name!);
    const env = /^[./]/.test(path) ? path : `./${path}`;
    say(stdout, `${name!}: ${files.join(', ')}`);
    const build = typescript ? `(cd ${path} && npm install && npm test) && ` : '';
    say(stdout, `next: ${build}npx emac env check ${env}`);
    return Promise.resolve(0);
  },
});
