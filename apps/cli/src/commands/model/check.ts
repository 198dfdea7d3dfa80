/** `emac model check`: contents and missing files of a model's folder, without reading a weight. */
import { checkModel, checkServedFolder, type ModelCheck } from '@emac/backbone';
import { EmacError, exitCodes } from '@emac/core';
import { modelPath } from '@emac/opening';
import { choice, toggle, type Values } from '../../options/option.ts';
import { size } from '../../terminal/download-progress.ts';
import { say, type Io } from '../../terminal/io.ts';
import { table } from '../../terminal/table.ts';
import { command } from '../../calling/command.ts';
import { compareModel } from './compare.ts';

const options = {
  served: toggle('check the folder for a vLLM-like server instead of this program'),
  compare: toggle(
    'run the frozen networks of a folder with inputs.safetensors and expected.safetensors, and compare their numbers',
  ),
  provider: choice(['cpu', 'webgpu', 'cuda'], {
    help: '--compare: ONNX Runtime provider of the frozen networks',
    default: null,
    defaultText: 'cpu',
  }),
  json: toggle('print the result as JSON on standard output'),
};

export const modelCheckCommand = command({
  options,
  run: async (values, [model], io) => {
    const { compare, provider, served, json } = values;
    if (compare && served) throw new EmacError('usage', '--served: is not for --compare; give one of them');
    if (!compare && provider !== null)
      throw new EmacError('usage', '--provider: belongs to --compare, which was not given');
    return compare
      ? compareModel(model!, { json, provider: provider ?? 'cpu' }, io)
      : modelCheck(model!, values, io);
  },
});

/** Reports the folder; returns 0 if nothing is missing, else 2. */
function modelCheck(model: string, { served, json }: Values<typeof options>, io: Io): number {
  if (served) return servedCheck(model, json, io);
  const check = checkModel(modelPath(model));
  if (json) say(io.stdout, JSON.stringify(check));
  else for (const line of textOf(check)) say(io.stdout, line);
  for (const sentence of check.missing) say(io.stderr, sentence);
  return check.missing.length === 0 ? 0 : exitCodes['check-failed'];
}

function servedCheck(model: string, json: boolean, io: Io): number {
  const check = checkServedFolder(modelPath(model));
  const { folder, faults, notes } = check;
  if (json) say(io.stdout, JSON.stringify(check));
  else
    for (const line of [...notes, ...(faults.length === 0 ? [`${folder}: nothing is missing`] : [])])
      say(io.stdout, line);
  for (const sentence of faults) say(io.stderr, sentence);
  return faults.length === 0 ? 0 : exitCodes['check-failed'];
}

const promptsText: Readonly<Record<NonNullable<ModelCheck['prompts']>, string>> = {
  chat: "the folder's chat template, one user turn",
  own: "the family's own form",
  plain: 'the plain text (the folder has no chat template)',
};

function textOf({
  family,
  vocabulary,
  positions,
  layers,
  parts,
  prompt,
  adapter,
  memory,
  prompts,
  overruled,
}: ModelCheck): string[] {
  const rows = parts.map((part) => [
    part.name,
    part.parameters.toLocaleString('en'),
    Object.keys(part.types).sort().join(', '),
    size(part.bytes),
  ]);
  const settings = Object.entries(overruled).map(([key, value]) => `${key} ${JSON.stringify(value)}`);
  return [
    `family ${family}, vocabulary of ${vocabulary}, ${positions} positions, layers ${layers}`,
    table(['part', 'parameters', 'stored as', 'size'], rows),
    table(
      ['memory for', `about`],
      memory.map(({ use, bytes }) => [use, size(bytes)]),
    ),
    ...(prompts ? [`prompts: ${promptsText[prompts]}`] : []),
    ...(settings.length > 0
      ? [`generation_config.json: not used, a command has its own settings: ${settings.join(', ')}`]
      : []),
    `with ${prompt.visual === 0 ? '' : `${prompt.visual} visual tokens (a frame of 300 × 300), `}a text of ${prompt.text} tokens and an answer of ${prompt.answer}, one sample at a time; an adapter of rank ${adapter.rank} in every projection`,
  ];
}
