/** `emac methods`: the training methods; and `emac train --method NAME`, the same as the method's own command. */
import { labelMethod, learnsPairs, phases } from '@emac/algorithms';
import { EmacError } from '@emac/core';
import { toggle } from '../options/option.ts';
import { say } from '../terminal/io.ts';
import { sayEvent } from '../terminal/json-events.ts';
import { command } from '../calling/command.ts';

interface NamedMethod {
  readonly name: string;
  readonly about: string;
  /** required flags, beside a policy */
  readonly needs: string;
  /** the words that `emac train --method NAME` stands for */
  readonly words: readonly string[];
}

export const methods: readonly NamedMethod[] = [
  ...phases.map((name) => ({
    name,
    about: labelMethod(name).about,
    needs: `an environment, an expert${learnsPairs(name) ? ', a reference policy (--ref)' : ''}`,
    words: ['train', '--phase', name],
  })),
  {
    name: 'bc,dpo',
    about: 'behaviour cloning, then DPO against its result: two runs',
    needs: 'an environment, an expert',
    words: ['train', '--phase', 'bc,dpo'],
  },
  {
    name: 'sft',
    about: 'supervised fine-tuning on a dataset, e.g. of emac collect',
    needs: 'a dataset (--data)',
    words: ['sft'],
  },
  {
    name: 'ppo',
    about: 'proximal policy optimization: reward, with a critic (PPO)',
    needs: 'an environment',
    words: ['ppo'],
  },
  {
    name: 'grpo',
    about: 'group relative policy optimization: reward, without a critic (GRPO)',
    needs: 'an environment',
    words: ['grpo'],
  },
  {
    name: 'rloo',
    about: 'GRPO that compares an attempt with the mean of the others at its task (RLOO)',
    needs: 'an environment',
    words: ['grpo', '--advantages', 'leave-one-out'],
  },
  {
    name: 'gigpo',
    about: 'GRPO that also compares single steps from equal states (GiGPO)',
    needs: 'an environment',
    words: ['grpo', '--advantages', 'steps'],
  },
  {
    name: 'hgpo',
    about: 'GRPO that compares single steps by the states that led to them (HGPO)',
    needs: 'an environment',
    words: ['grpo', '--advantages', 'history'],
  },
];

/** Replaces `--method NAME` by its words; other words stay. Errors: `usage` for an unknown method. */
export function withoutMethod(argv: readonly string[]): readonly string[] {
  const place = argv[0] === 'train' ? placeOf(argv) : -1;
  if (place < 0) return argv;
  const { words } = namedMethod(argv)!;
  const isJoined = argv[place] !== '--method';
  return [...words, ...argv.slice(1, place), ...argv.slice(place + (isJoined ? 1 : 2))];
}

/** The method named by the words; null for none. Errors: `usage` for an unknown one. */
export function namedMethod(argv: readonly string[]): NamedMethod | null {
  const place = placeOf(argv);
  if (place < 0) return null;
  const name = argv[place] === '--method' ? argv[place + 1] : argv[place]!.slice('--method='.length);
  const found = methods.find((each) => each.name === name);
  if (found) return found;
  const known = methods.map((each) => each.name).join(' or ');
  throw new EmacError('usage', `--method: must be ${known}, got ${JSON.stringify(name ?? '')}`);
}

function placeOf(argv: readonly string[]): number {
  return argv.findIndex((word) => word === '--method' || word.startsWith('--method='));
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
