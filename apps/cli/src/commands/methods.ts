/** `emac methods`: the training methods; and the words that `--method NAME` stands for. */
import { isJudged, labelMethod, learnsPairs, namedGroupMethods, phases } from '@emac/algorithms';
import { EmacError } from '@emac/core';
import { toggle } from '../options/option.ts';
import { say } from '../terminal/io.ts';
import { sayEvent } from '../terminal/json-events.ts';
import { command } from '../calling/command.ts';
import { typedValue } from '../calling/typed-value.ts';

interface NamedMethod {
  readonly name: string;
  readonly about: string;
  /** required flags, beside a policy */
  readonly needs: string;
  /** the words that `--method NAME` stands for */
  readonly words: readonly string[];
}

export const methods: readonly NamedMethod[] = [
  ...phases.map((name) => ({
    name,
    about: labelMethod(name).about,
    needs: `an environment, an expert${isJudged(name) ? ', a reference policy (--ref)' : ''}`,
    words: ['--phase', name],
  })),
  ...phases.filter(learnsPairs).map((name) => ({
    name: `bc,${name}`,
    about: `behaviour cloning, then ${name} ${isJudged(name) ? 'against' : 'from'} its result: two runs`,
    needs: 'an environment, an expert',
    words: ['--phase', `bc,${name}`],
  })),
  {
    name: 'sft',
    about: 'supervised fine-tuning on a dataset, e.g. of emac collect',
    needs: 'a dataset (--data)',
    words: ['--method', 'sft'],
  },
  {
    name: 'ppo',
    about: 'proximal policy optimization: reward, with a critic (PPO)',
    needs: 'an environment',
    words: ['--method', 'ppo'],
  },
  ...namedGroupMethods.map(({ name, about, losses }): NamedMethod => {
    const words = Object.entries(losses).flatMap(([setting, value]) => [`--${setting}`, value as string]);
    return { name, about, needs: 'an environment', words: ['--method', 'grpo', ...words] };
  }),
];

/** Replaces `--method NAME` by its words; other words stay. Errors: `usage` for an unknown method. */
export function withoutMethod(argv: readonly string[]): readonly string[] {
  const place = argv.findIndex((word) => word === '--method' || word.startsWith('--method='));
  if (place < 0) return argv;
  const typed = typedValue(argv, 'method');
  const method = methods.find(({ name }) => name === typed);
  if (method) return argv.toSpliced(place, argv[place] === '--method' ? 2 : 1, ...method.words);
  const names = methods.map(({ name }) => name).join(' or ');
  throw new EmacError('usage', `--method: must be ${names}, got ${JSON.stringify(typed)}`);
}

export const methodsCommand = command({
  options: { json: toggle('one JSON object a line on standard output') },
  run: ({ json }, _words, io) => {
    for (const { name, about, needs } of methods)
      if (json) sayEvent(io, 'method', { name, about, needs });
      else say(io.stdout, `${name.padEnd(10)}${about}\n          needs ${needs}`);
    return Promise.resolve(0);
  },
});
