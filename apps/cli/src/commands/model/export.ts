/** `emac model export`: what a run trained, merged into its model: as a model folder, or as a GGUF file. */
import { EmacError } from '@emac/core';
import { exportTrainedGguf, mergeModel, type MergedModel } from '@emac/model-folders';
import { choice, text, toggle, type Values } from '../../options/option.ts';
import { runNamed } from '../../options/run-name.ts';
import { counted } from '../../terminal/amounts.ts';
import { size } from '../../terminal/download-progress.ts';
import { say, type Io } from '../../terminal/io.ts';
import { command } from '../../calling/command.ts';

const types = { f16: 'F16', q8_0: 'Q8_0' } as const;

const options = {
  type: choice(['f16', 'q8_0'] as const, {
    help: 'OUT.gguf: type of the matrices; q8_0 takes about half the space of f16',
    default: null,
    defaultText: 'f16',
  }),
  model: text({
    help: 'OUT.gguf: the trained model',
    default: null,
    defaultText: 'the model that the run names',
  }),
  dtype: choice(['float32', 'float16', 'bfloat16'], {
    help: 'BASE ADAPTER OUT: number type of the written weights',
    default: null,
    defaultText: 'as the base stores them',
  }),
  json: toggle('print the result as JSON on standard output'),
};

export const modelExportCommand = command({
  options,
  run: async (values, words, io) => {
    const [first, second, third, more] = words;
    if (third !== undefined && more === undefined) await toFolder([first!, second!, third], values, io);
    else if (second?.endsWith('.gguf') && third === undefined) await toGguf([first!, second], values, io);
    else
      throw new EmacError(
        'usage',
        `model export: takes RUN|FOLDER OUT.gguf or BASE ADAPTER OUT, got ${counted(words.length, 'name')}`,
      );
    return 0;
  },
});

async function toGguf(
  [source, out]: readonly [source: string, out: string],
  { type, model, dtype, json }: Values<typeof options>,
  { stdout }: Io,
): Promise<void> {
  if (dtype !== null)
    throw new EmacError('usage', '--dtype: belongs to BASE ADAPTER OUT; of a GGUF file give --type');
  const made = await exportTrainedGguf({ source: runNamed(source), out, type: types[type ?? 'f16'], model });
  const { file, architecture, parameters, bytes } = made;
  const told = `${file}: GGUF, ${architecture}, ${parameters.toLocaleString('en')} parameters, ${size(bytes)}`;
  say(stdout, json ? JSON.stringify(made) : told);
}

async function toFolder(
  [base, adapter, out]: readonly [base: string, adapter: string, out: string],
  { type, model, dtype, json }: Values<typeof options>,
  { stdout, now }: Io,
): Promise<void> {
  const flag = type !== null ? 'type' : model !== null ? 'model' : null;
  if (flag !== null) throw new EmacError('usage', `--${flag}: belongs to RUN|FOLDER OUT.gguf; leave it out`);
  const merged = await mergeModel({ base, adapter: runNamed(adapter), out, dtype, date: new Date(now()) });
  say(stdout, json ? JSON.stringify(merged) : mergedText(merged));
}

function mergedText({ folder, merged, projection, leftOut }: MergedModel): string {
  const what = `${counted(merged, 'projection')} of the language model${projection ? ' and the trained layer before it' : ''}`;
  const made = `${folder}: a model folder, merged: ${what}`;
  return leftOut.length === 0
    ? made
    : `${made}\nskipped, as the model does not need them: ${leftOut.join(', ')}`;
}
