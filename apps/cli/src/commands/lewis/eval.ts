/** `emac eval --env lewis`: evaluates how well a speaker and a listener understand each other on held-out concepts. */
import { join } from 'node:path';
import { evaluateLewis, type LewisEvaluation } from '@emac/experiment';
import { createFolder, writeFileAtomic } from '@emac/files';
import { layout } from '@emac/runs';
import { sendForms } from '@emac/settings';
import { choice, integer, text, toggle } from '../../options/option.ts';
import { runNamed } from '../../options/run-name.ts';
import { noteCommand } from '../../run-notes/write-notes.ts';
import { counted, durations } from '../../terminal/amounts.ts';
import { lewisRows } from '../../reports/training-report.ts';
import { quietOption } from '../../options/quiet-option.ts';
import { hostOf } from '../../terminal/host.ts';
import { say } from '../../terminal/io.ts';
import { table } from '../../terminal/table.ts';
import { command } from '../../calling/command.ts';
import { withoutWords } from './service.ts';

const options = {
  env: choice(['lewis'], {
    help: 'the game of both, here; another environment has its own flags',
    default: 'lewis',
  }),
  speaker: text({
    help: 'speaker: model (untrained), true (names the picture correctly), a run of emac train --method grpo, or a service’s address',
    default: null,
    defaultText: 'SPEAKER_URL, else model',
  }),
  listener: text({
    help: 'listener: model (untrained), a run of emac train --method grpo, or a service’s address',
    default: null,
    defaultText: 'LISTENER_URL, else model',
  }),
  model: text({ help: 'the untrained model', default: 'lewis-tiny' }),
  pictures: text({
    help: 'pictures: drawn (the built-in world), a folder, or a catalogue.json; default the runs’ own',
    default: null,
  }),
  'max-pixels': integer([1, 999_999_999], {
    help: 'most pixels of a picture for a model or service (Qwen2-VL, Qwen2.5-VL, Qwen3-VL); runs keep their own',
    default: null,
    defaultText: "the model's own",
  }),
  send: choice(sendForms, {
    help: 'send your pictures to a service as scaled data, or as paths in a shared folder',
    default: 'data',
  }),
  'num-games': integer([1, 1_000_000], {
    help: 'number of games, all on held-out concepts and views',
    default: 450,
  }),
  reads: choice(['first', 'reasons'] as const, {
    help: 'for a listener that is not a run: read its yes at the start of the answer, or after its reasons',
    default: 'first',
  }),
  shows: choice(['pictures', 'blank'] as const, {
    help: 'the speaker’s picture; blank is a control (expected: chance)',
    default: 'pictures',
  }),
  describes: choice(['own', 'next'] as const, {
    help: 'description for the listener; the next game’s is a control (expected: chance)',
    default: 'own',
  }),
  out: text({
    help: 'folder for eval.json, identification.json and recognition.json, in the published layout; default none',
    default: null,
  }),
  json: toggle('print the result as JSON on standard output'),
  ...quietOption,
};

export const lewisEvalCommand = command({
  options,
  run: async (values, words, typed) => {
    const io = withoutWords(words, typed);
    const { pictures, out, json, quiet, model, reads: reading, describes } = values;
    const host = hostOf(io, undefined, { quiet, verbose: values.verbose });
    const { result, speaker, listener, spent } = await evaluateLewis(
      {
        ...(values.speaker !== null && { speaker: runNamed(values.speaker) }),
        ...(values.listener !== null && { listener: runNamed(values.listener) }),
        reading,
        describes,
        model: { path: model, maxPixels: values['max-pixels'] },
        send: values.send,
        ...(pictures !== null && { game: { pictures } }),
        games: values['num-games'],
        blankFrames: values.shows === 'blank',
      },
      host,
    );
    const said = json ? io.stderr : io.stdout;
    say(io.stdout, json ? JSON.stringify(result) : textOf(result, speaker, listener));
    if (!quiet) say(said, `time: ${durations(spent)}`);
    if (out === null) return 0;
    createFolder(out);
    noteCommand(out, io, host.listener?.note);
    const { identification, recognition } = result;
    for (const [name, content] of [
      [layout.evaluation, result],
      ['identification.json', identification],
      ['recognition.json', recognition],
    ] as const)
      if (content) writeFileAtomic(join(out, name), `${JSON.stringify(content, null, 2)}\n`);
    return 0;
  },
});

function textOf(result: LewisEvaluation, speaker: string, listener: string): string {
  const games = result.games.length;
  return `${table([`${speaker} to`, listener], lewisRows([result]))}\n${counted(games, 'game')} with held-out concepts and views; recognition: accuracy on matching and on other pairs`;
}
