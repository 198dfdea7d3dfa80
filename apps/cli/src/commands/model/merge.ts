/** `emac model merge`: merges a base model and an adapter into one model folder. */
import { EmacError } from '@emac/core';
import { mergeModel, type MergedModel } from '@emac/model-folders';
import { choice, toggle } from '../../options/option.ts';
import { runNamed } from '../../options/run-name.ts';
import { counted } from '../../terminal/amounts.ts';
import { say } from '../../terminal/io.ts';
import { command } from '../../calling/command.ts';

export const modelMergeCommand = command({
  options: {
    dtype: choice(['float32', 'float16', 'bfloat16'], {
      help: 'number type of the written weights',
      default: null,
      defaultText: 'as the base stores them',
    }),
    json: toggle('print the result as JSON on standard output'),
  },
  run: async ({ dtype, json }, words, io) => {
    const [base, adapter, out, more] = words;
    if (base === undefined || adapter === undefined || out === undefined || more !== undefined)
      throw new EmacError(
        'usage',
        `model merge: takes BASE ADAPTER OUT, got ${counted(words.length, 'name')}`,
      );
    const merged = await mergeModel({
      base,
      adapter: runNamed(adapter),
      out,
      dtype,
      date: new Date(io.now()),
    });
    say(io.stdout, json ? JSON.stringify(merged) : mergedText(merged));
    return 0;
  },
});

function mergedText({ folder, merged, projection, leftOut }: MergedModel): string {
  const what = `${counted(merged, 'projection')} of the language model${projection ? ' and the trained layer before it' : ''}`;
  const made = `${folder}: a model folder, merged: ${what}`;
  return leftOut.length === 0
    ? made
    : `${made}\nskipped, as the model does not need them: ${leftOut.join(', ')}`;
}
