/** The person of `--policy human`: sees a step on standard error, answers on standard input. */
import type { Person, ShownStep } from '@emac/opening';
import { say, type Io } from '../terminal/io.ts';
import { linesIn } from '../terminal/lines.ts';
import { isAPersonThere, typedByAPerson } from '../terminal/typed-by-a-person.ts';
import { wrapped } from '../terminal/wrapped.ts';
import { shownFrames } from './shown-frames.ts';

const help = `Type the action of every step. ? lists the actions to choose from, Tab completes one. quit or Ctrl-D ends; what is finished is kept
with --out. None of these takes a step.`;

/** One reader for all episodes, opened at the first question. */
export function personAt(io: Io): Person {
  const { stdin, stderr } = io;
  let admissible: readonly string[] = [];
  let task: string | null = null;
  let lines: AsyncIterator<string> | null = null;
  const showFrame = shownFrames('auto', { stdout: stderr, env: io.env });
  const opened = (): AsyncIterator<string> => {
    const typing = { admissible: () => admissible, interrupted: () => {}, help };
    const typed = isAPersonThere(io) ? typedByAPerson(io, typing) : linesIn(stdin as AsyncIterable<Buffer>);
    return typed[Symbol.asyncIterator]();
  };
  return {
    async ask(shown) {
      admissible = shown.admissible ?? [];
      const [frame = null] = shown.frames;
      await showFrame(() => frame);
      // its first state may have been answered before a resume
      say(stderr, wrapped(wordsOf(shown, shown.isFirst || shown.task !== task), stderr.columns - 1));
      task = shown.task;
      lines ??= opened();
      const { done, value } = await lines.next();
      return done ? null : value;
    },
    tell: (sentence) => say(stderr, wrapped(sentence, stderr.columns - 1)),
  };
}

function wordsOf({ task, text, admissible }: ShownStep, isNew: boolean): string {
  const few = admissible && admissible.length <= 10 ? [`actions: ${admissible.join(', ')}`] : [];
  return [...(isNew ? ['', task] : []), text, ...few].join('\n');
}
