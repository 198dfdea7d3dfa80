/** `emac preset`: named settings of each method, as files for `--config`. */
import {
  grpoPresetNames,
  phases,
  ppoPresetNames,
  presetNames,
  type GrpoPresetName,
  type Phase,
  type PpoPresetName,
  type PresetName,
} from '@emac/algorithms';
import { EmacError } from '@emac/core';
import { ppoPresetConfig } from '@emac/experiment';
import { isThere, writeFileAtomic } from '@emac/files';
import { grpoPresetConfig, presetConfig } from '@emac/settings';
import { stringify } from 'yaml';
import { choice, text } from '../options/option.ts';
import { say, type Io } from '../terminal/io.ts';
import { command } from '../calling/command.ts';

/** One line a preset. */
const ofTraining: Readonly<Record<PresetName, string>> = {
  tiny: 'the shipped model on two cores, in minutes; the default',
  paper: 'the paper’s numbers',
  'published-code': 'the published code’s numbers where they differ from the paper',
  'small-scale': 'the published small run',
};
const ofPpo: Readonly<Record<PpoPresetName, string>> = {
  tiny: 'a small model on two cores, in minutes; the default; small networks and some environments have their own numbers',
  nl: 'RL4VLM, number line',
  bj: 'RL4VLM, blackjack',
  ezp: 'RL4VLM, easy points',
  p24: 'RL4VLM, 24 points',
  minigrid: "RL4VLM's fork for MiniGrid",
  vlarl: 'VLA-RL, a robot',
};
const ofGrpo: Readonly<Record<GrpoPresetName, string>> = {
  tiny: 'a small model on two cores, in minutes; the default',
  'published-2b': 'the Lewis game as published, models of 2 billion parameters',
  'published-7b': 'the same, of 7 billion',
  'published-14b': 'the same, of 14 billion',
};

interface MethodPresets {
  readonly names: readonly string[];
  readonly purposes: Readonly<Record<string, string>>;
  /** a preset's settings; methods with phases add the phase */
  readonly config: (name: string) => object;
}

const phased = (phase: Phase): MethodPresets => ({
  names: presetNames,
  purposes: ofTraining,
  config: (name) => ({ phase, ...presetConfig(name as PresetName, phase) }),
});

const methods = {
  ...(Object.fromEntries(phases.map((each) => [each, phased(each)])) as Record<Phase, MethodPresets>),
  sft: phased('bc'),
  ppo: {
    names: ppoPresetNames,
    purposes: ofPpo,
    config: (name) => ppoPresetConfig(name as PpoPresetName, null, 'model'),
  },
  grpo: {
    names: grpoPresetNames,
    purposes: ofGrpo,
    config: (name) => grpoPresetConfig(name as GrpoPresetName),
  },
} satisfies Readonly<Record<string, MethodPresets>>;

type Method = keyof typeof methods;

const method = {
  ...choice(Object.keys(methods) as Method[], { help: 'method of the preset', default: 'bc' }),
  aliases: ['phase'],
};

export const presetCommand = command({
  options: { method, out: text({ help: 'with a name: new file to write', default: null }) },
  run: ({ method: of, out }, [name], io) => {
    if (out !== null) write(name!, { of, out }, io);
    else if (name) say(io.stdout, yamlOf(name, of).trimEnd());
    else for (const each of methods[of].names) say(io.stdout, `${each}: ${purposesOf(of)[each]}`);
    return Promise.resolve(0);
  },
});

function purposesOf(of: Method): MethodPresets['purposes'] {
  return methods[of].purposes;
}

/** Errors: `usage`, `cannot-create`. */
function write(name: string, { of, out }: { of: Method; out: string }, { stdout }: Io): void {
  const text = yamlOf(name, of);
  if (isThere(out)) throw new EmacError('cannot-create', `--out ${out}: already exists; give another name`);
  writeFileAtomic(out, text);
  say(stdout, `${out}: change what you like, then emac train --method ${of} --config ${out}`);
}

/** Errors: `usage` for an unknown name. */
function yamlOf(name: string, of: Method): string {
  const { names, config }: MethodPresets = methods[of];
  if (!names.includes(name))
    throw new EmacError('usage', `preset ${name}: does not exist for ${of}; give one of ${names.join(', ')}`);
  return `# settings of the preset ${name} for --method ${of}\n${stringify(config(name))}`;
}
