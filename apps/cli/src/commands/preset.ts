/** `emac preset ls | cat | cp`: named settings as files that `--config` takes. */
import { phases, presetNames, type Phase, type PresetName } from '@emac/algorithms';
import { EmacError } from '@emac/core';
import { isThere, writeFileAtomic } from '@emac/files';
import { presetConfig } from '@emac/settings';
import { stringify } from 'yaml';
import { choice, requiredText } from '../options/option.ts';
import { say, type Io } from '../terminal/io.ts';
import { command } from './command.ts';

/** What each is for. */
const purposes: Readonly<Record<PresetName, string>> = {
  tiny: 'the shipped model on two cores, in minutes; the default',
  'tiny-image': 'the same where frames alone tell what is there (--observe image)',
  paper: 'the numbers that the paper gives',
  'published-code': 'what the published code does where that differs from the paper',
  'small-scale': 'the published small run',
};

const phase = choice(phases, { help: 'the phase whose settings are meant', default: 'bc' });

export const presetListCommand = command({
  options: {},
  run: (_values, _words, { stdout }) => {
    for (const name of presetNames) say(stdout, `${name}: ${purposes[name]}`);
    return Promise.resolve(0);
  },
});

export const presetCatCommand = command({
  options: { phase },
  run: (values, [name], { stdout }) => {
    say(stdout, yamlOf(named(name!), values.phase).trimEnd());
    return Promise.resolve(0);
  },
});

export const presetCopyCommand = command({
  options: { phase, out: requiredText('the file that is written; it may not exist already') },
  run: (values, [name], io) => Promise.resolve(copy(named(name!), values, io)),
});

/** Errors: `cannot-create`. */
function copy(name: PresetName, { phase: of, out }: { phase: Phase; out: string }, { stdout }: Io): number {
  if (isThere(out)) throw new EmacError('cannot-create', `--out ${out}: is there already; give another name`);
  writeFileAtomic(out, yamlOf(name, of));
  say(stdout, `${out}: change what you like, then emac train --config ${out}`);
  return 0;
}

function yamlOf(name: PresetName, of: Phase): string {
  return `# settings of the preset ${name} for --phase ${of}\n${stringify({ phase: of, ...presetConfig(name, of) })}`;
}

/** Errors: `usage`. */
function named(name: string): PresetName {
  const found = presetNames.find((each) => each === name);
  if (!found)
    throw new EmacError('usage', `preset ${name}: there is none; give one of ${presetNames.join(', ')}`);
  return found;
}
