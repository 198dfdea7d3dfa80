/** `emac lewis eval`: evaluates how well a speaker and a listener understand each other on held-out concepts. */
import { join } from 'node:path';
import { evaluateLewis, type LewisEvaluation } from '@emac/experiment';
import { createFolder, writeFileAtomic } from '@emac/files';
import { layout } from '@emac/runs';
import { sendForms } from '@emac/settings';
import { choice, integer, text, toggle } from '../options/option.ts';
import { runNamed } from '../options/run-name.ts';
import { noteCommand } from '../run-notes/write-notes.ts';
import { counted, durations } from '../terminal/amounts.ts';
import { lewisRows } from '../terminal/grpo-report.ts';
import { hostOf, quietOption } from '../terminal/host.ts';
import { say } from '../terminal/io.ts';
import { table } from '../terminal/table.ts';
import { command } from './command.ts';

const options = {
  speaker: text({
    help: 'who speaks: model (the untrained one), true (says what is drawn), a run of emac grpo, or the address of a service',
    default: null,
    defaultText: 'SPEAKER_URL, else model',
  }),
  listener: text({
    help: 'who listens: model (the untrained one), a run of emac grpo, or the address of a service',
    default: null,
    defaultText: 'LISTENER_URL, else model',
  }),
  model: text({ help: 'what model stands for', default: 'lewis-tiny' }),
  pictures: text({
    help: 'drawn (the built-in world), a folder of pictures, or a catalogue.json; by default those of the runs',
    default: null,
  }),
  'max-pixels': integer([1, 999_999_999], {
    help: 'pixels of a picture that a model is shown, or a service is sent, at most (Qwen2-VL, Qwen2.5-VL); runs keep what they were trained with',
    default: null,
    defaultText: "the model's own",
  }),
  send: choice(sendForms, {
    help: 'how own pictures go to a service: data, scaled to what a model sees of them at most, or paths, for one that reads the same folder',
    default: 'data',
  }),
  'num-games': integer([1, 1_000_000], { help: 'games with held-out concepts and views', default: 450 }),
  reads: choice(['first', 'reasons'] as const, {
    help: 'where the yes of a listener is read that is no run: at the beginning of its answer, or after reasons that it writes first',
    default: 'first',
  }),
  shows: choice(['pictures', 'blank'] as const, {
    help: 'what the speaker sees; blank should leave no more than chance',
    default: 'pictures',
  }),
  describes: choice(['own', 'next'] as const, {
    help: 'of which picture the listener reads; that of the next game should leave no more than chance',
    default: 'own',
  }),
  out: text({
    help: 'folder for eval.json, identification.json and recognition.json, in the published layout; none without it',
    default: null,
  }),
  json: toggle('print the result as JSON on standard output'),
  ...quietOption,
};

export const lewisEvalCommand = command({
  options,
  run: async (values, _words, io) => {
    const { pictures, out, json, quiet, model, reads: reading, describes } = values;
    const host = hostOf(io, undefined, { quiet });
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
  return `${table([`${speaker} to`, listener], lewisRows([result]))}\n${counted(games, 'game')} with concepts and views that training never has; recognition: right about pairs that show the same, and about others`;
}
