/** `emac model import`: a GGUF file as a model folder. */
import { EmacError } from '@emac/core';
import { importGguf, type ImportedGguf } from '@emac/gguf';
import { choice, toggle } from '../../options/option.ts';
import { counted } from '../../terminal/amounts.ts';
import { say } from '../../terminal/io.ts';
import { shellWord } from '../../terminal/shell-word.ts';
import { command } from '../../calling/command.ts';

const types = { f32: 'F32', f16: 'F16' } as const;

export const modelImportCommand = command({
  options: {
    dtype: choice(['f32', 'f16'] as const, {
      help: 'type of the weights; f32 keeps every value, f16 rounds and takes half the space',
      default: 'f32' as const,
    }),
    json: toggle('print the result as JSON on standard output'),
  },
  run: async ({ dtype, json }, words, io) => {
    const [file, out, more] = words;
    if (file === undefined || out === undefined || more !== undefined)
      throw new EmacError('usage', `model import: takes FILE.gguf OUT, got ${counted(words.length, 'name')}`);
    const imported = await importGguf({ file, out, type: types[dtype] });
    if (json) say(io.stdout, JSON.stringify(imported));
    else for (const line of textOf(imported)) say(io.stdout, line);
    return 0;
  },
});

function textOf({ folder, model, parameters, types }: ImportedGguf): string[] {
  const stored = Object.entries(types).map(([type, count]) => `${count} ${type}`);
  return [
    `${folder}: a model folder, ${model}, ${parameters.toLocaleString('en')} parameters`,
    `tensors in the file: ${stored.join(', ')}`,
    `next: npx emac model check ${shellWord(folder)}`,
  ];
}
