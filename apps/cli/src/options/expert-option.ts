/** `--expert`: a built-in expert by name, or a file with custom code. Only this flag runs such code. */
import { isModulePath } from '@emac/opening';
import type { Form } from './form.ts';
import type { Setting } from './setting.ts';

/** Its value is a word or a path; in the configuration a path becomes the kind `module` with its file. */
export function expertSetting(setting: Setting): Setting {
  const words = setting.form.choices!.filter((word) => word !== 'module');
  const form: Form<unknown> = {
    choices: words,
    words: `${words.join(' or ')}, or a file such as ./mine.js that exports label(request)`,
    parse: (text) => (words.includes(text) || isModulePath(text) ? text : undefined),
  };
  return {
    ...setting,
    form,
    paths: ['expert.kind', 'expert.module'],
    valueAt: (path, value) => valueAt(path, String(value)),
  };
}

function valueAt(path: string, value: string): string | null {
  if (path === 'expert.module') return isModulePath(value) ? value : null;
  return isModulePath(value) ? 'module' : value;
}

/** The same for a command that also plays environments: scripted players and language models label them. */
export function orScripted(setting: Setting): Setting {
  const { choices = [], parse } = setting.form;
  const form: Form<unknown> = {
    ...setting.form,
    choices: [...choices, scripted],
    parse: (text) => (text === scripted ? text : parse(text)),
  };
  return { ...setting, form, help: `${setting.help}; with --env ${scripted}, its default, openai or human` };
}

const scripted = 'scripted';
