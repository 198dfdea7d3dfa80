/** `emac model export`: a text model as a GGUF file, what a run trained merged into it. */
import { EmacError } from '@emac/core';
import { exportTrainedGguf } from '@emac/model-folders';
import { choice, text, toggle } from '../../options/option.ts';
import { runNamed } from '../../options/run-name.ts';
import { counted } from '../../terminal/amounts.ts';
import { size } from '../../terminal/download-progress.ts';
import { say } from '../../terminal/io.ts';
import { command } from '../../calling/command.ts';

const types = { f16: 'F16', q8_0: 'Q8_0' } as const;

export const modelExportCommand = command({
  options: {
    type: choice(['f16', 'q8_0'] as const, {
      help: 'type of the matrices; q8_0 takes about half the space of f16',
      default: 'f16' as const,
    }),
    model: text({ help: 'the trained model', default: null, defaultText: 'the model that the run names' }),
    json: toggle('print the result as JSON on standard output'),
  },
  run: async ({ type, model, json }, words, io) => {
    const [source, out, more] = words;
    if (source === undefined || out === undefined || more !== undefined)
      throw new EmacError(
        'usage',
        `model export: takes RUN|FOLDER OUT.gguf, got ${counted(words.length, 'name')}`,
      );
    const made = await exportTrainedGguf({ source: runNamed(source), out, type: types[type], model });
    say(
      io.stdout,
      json
        ? JSON.stringify(made)
        : `${made.file}: GGUF, ${made.architecture}, ${made.parameters.toLocaleString('en')} parameters, ${size(made.bytes)}`,
    );
    return 0;
  },
});
