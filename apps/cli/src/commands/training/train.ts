/** `emac train --method M`: starts or resumes training; its flags are those of the method. */
import { readFileSync } from 'node:fs';
import { isFile } from '@emac/files';
import { subjectOf } from '@emac/opening';
import { unmet, type Subject } from '@emac/settings';
import { command, type Command } from '../../calling/command.ts';
import { directCall } from '../../calling/help-page.ts';
import { typedValue } from '../../calling/typed-value.ts';
import { refuseDryResume } from '../../options/dry-run.ts';
import { givenCode } from '../../options/given-code.ts';
import { configOption } from '../../options/layers.ts';
import { text } from '../../options/option.ts';
import { presetTable } from '../../options/preset-table.ts';
import { runOptions } from '../../options/run-options.ts';
import { methods } from '../methods.ts';
import { grpo } from './grpo.ts';
import { fineTuning, imitation } from './imitation.ts';
import { ppo } from './ppo.ts';
import type { TrainingMethod } from './training-method.ts';
import { dryRuns, resumeRuns, trainingRuns } from './training-runs.ts';

const methodOption = text({
  help: `training method: ${methods.map(({ name }) => name).join(', ')}; emac methods explains them`,
  default: null,
});

/** The method in the words, or in the file of `--config`; by default imitation. */
export function trainingMethod(argv: readonly string[]): TrainingMethod {
  if (typedValue(argv, 'phase') !== undefined) return imitation;
  const named = typedValue(argv, 'method') ?? commandOfFile(typedValue(argv, 'config'));
  return [fineTuning, ppo, grpo].find(({ name }) => name === named) ?? imitation;
}

/** The command named in a configuration file; undefined without one. The later reading rejects a file that cannot be read. */
function commandOfFile(path: string | undefined): string | undefined {
  if (path === undefined || !isFile(path)) return undefined;
  return /^command: (\w+)$/m.exec(readFileSync(path, 'utf8'))?.[1];
}

/** `emac train` for the method in the words. */
export function trainCommand(argv: readonly string[] = []): Command {
  const method = trainingMethod(argv);
  const { name, begins, settings, next, changed } = method;
  // for help alone
  let subject: Subject | undefined;
  const hasEffect = (flag: string) => {
    subject ??= subjectOf({
      method: name ?? typedValue(argv, 'phase')?.split(',').at(-1) ?? null,
      env: typedValue(argv, 'env') ?? null,
      policy: typedValue(argv, 'policy', 'model') ?? null,
    });
    return unmet(settings[flag]?.when ?? [], subject, null) === null;
  };
  const listed = () => Object.fromEntries(Object.entries(settings).filter(([flag]) => hasEffect(flag)));
  const options = { method: methodOption, ...method.options, ...runOptions, ...configOption, ...settings };
  return command({
    options,
    name: name === null ? 'train' : `train --method ${name}`,
    essentials: method.essentials,
    isListed: hasEffect,
    epilogue: () => [presetTable(listed(), method.presets), listedFor, directCall].join('\n\n'),
    run: async (values, words, io) => {
      refuseDryResume(values['dry-run'], values.resume);
      if (values.resume !== null) {
        const change = changed?.(values, words);
        const flags = ['phase', ...Object.keys(settings)];
        await resumeRuns({ values, words, io, next, settings: flags, changed: change });
        return 0;
      }
      const run = method.plan({ values, words, env: io.env }, io);
      const code = await givenCode(values);
      if (values['dry-run'])
        await dryRuns({ values, io }, (host, queue) => run.dry({ ...host, ...code }, queue));
      else
        await trainingRuns({ values, io, method: begins, next }, (host) => run.train({ ...host, ...code }));
      return 0;
    },
  });
}

const listedFor =
  'With --method, --env and --policy before --help this page lists only what has an effect for them.';
