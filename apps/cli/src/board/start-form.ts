/** The form with which a page starts runs: made from the table of settings, as `--help` is. */
import { kinds } from '@emac/opening';
import type { SettingField, StartForm, StartSubject } from '@emac/pages';
import { shippedModels, smallNetworks } from '@emac/settings';
import { methods, withoutMethod } from '../commands/methods.ts';
import { trainCommand } from '../commands/training/train.ts';
import { isSetting } from '../options/configured.ts';
import { helpGroups } from '../options/help-groups.ts';
import type { Command } from '../calling/command.ts';

/** Flags with a place of their own in a request. */
const elsewhere = ['method', 'phase', 'env', 'policy', 'model', 'out', 'config'];

/** A page opens no port of this machine to others. */
const forbidden = ['host', 'allow'];

/** flags that are no settings but say something of the run */
export const ofRuns: readonly string[] = ['run-name'];

/** The words of a subject; what is not chosen is left out. */
export function subjectWords({ method, environment, policy }: StartSubject): string[] {
  return [
    ...['--method', method],
    ...(environment === null ? [] : ['--env', environment]),
    ...(policy === null ? [] : ['--policy', policy]),
  ];
}

/** Errors: `usage` for an unknown method. */
export function startForm(subject: StartSubject): StartForm {
  const words = withoutMethod(subjectWords(subject));
  const command = trainCommand(words);
  // a method such as gigpo is one of another's settings
  const decided = words.filter((word) => word.startsWith('--')).map((word) => word.slice(2));
  const flags = fieldFlags(command).filter((flag) => !decided.includes(flag));
  return {
    ...subject,
    methods: methods.map(({ name, about, needs }) => ({ name, about, needs })),
    environments: startedEnvironments(),
    policies: [...shippedModels, ...smallNetworks],
    fields: fieldsOf(command, flags),
  };
}

/** Those of this machine by their ids: an environment of one's own is code, which the command line alone names. */
export function startedEnvironments(): StartForm['environments'] {
  return kinds.flatMap(({ ids, about, isElsewhere = false }) =>
    isElsewhere ? [] : ids.map((id) => ({ id, about })),
  );
}

/** The flags that a page may set. */
export function fieldFlags({ options, isListed = () => true }: Command): string[] {
  return Object.keys(options).filter(
    (flag) =>
      ofRuns.includes(flag) ||
      (isSetting(options[flag]!) && isListed(flag) && ![...elsewhere, ...forbidden].includes(flag)),
  );
}

function fieldsOf({ options, essentials = [] }: Command, flags: readonly string[]): SettingField[] {
  const table = Object.fromEntries(flags.map((flag) => [flag, options[flag]!]));
  return helpGroups(table, essentials).flatMap(({ title, flags: members }) =>
    members.map((flag): SettingField => {
      const { help, form, defaultText, isRequired } = table[flag]!;
      const choices = form.choices ?? [];
      return {
        flag,
        help,
        group: title,
        form: form.words,
        choices: areAll(choices, form.words) ? choices : [],
        default: defaultText,
        isRequired,
      };
    }),
  );
}

/** Whether no other text is possible, such as a number or a file. */
function areAll(choices: readonly string[], words: string | null): boolean {
  const last = `${choices.slice(0, -1).join(' or ')}, or ${choices.at(-1)}`;
  return words === choices.join(' or ') || words === last;
}
