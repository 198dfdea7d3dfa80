/** Texts that people bring for the language model: few-shot episodes, failed examples; and who reflects. */
import { readFileSync } from 'node:fs';
import { EmacError } from '@emac/core';
import { isFile, isThere, whileReading } from '@emac/files';
import { defaultFewShotExamples, mostFewShotExamples, readPromptFile, shownAsInReact } from '@emac/prompt';
import { readFailureExamples } from '@emac/reflexion';
import { taskTypes } from '@emac/world';
import { integer, text, type Values } from './option.ts';

const none = { default: null } as const;

/** Those that name files. */
export const textFileOptions = {
  'expert-prompts': text({
    help: "openai: few-shot episodes, a file in the form of ReAct's alfworld_3prompts.json",
    ...none,
    defaultText: 'ours',
  }),
  'reflection-examples': text({
    help: "openai: failed episodes with new plans, a file in the form of Reflexion's reflexion_few_shot_examples.txt",
    ...none,
    defaultText: 'ours',
  }),
};

export const languageModelTextOptions = {
  ...textFileOptions,
  'expert-examples': integer([0, 100], {
    help: 'openai: few-shot episodes that a prompt shows, 0 to what there is: 2 of ours, or those of --expert-prompts',
    ...none,
    defaultText: `${defaultFewShotExamples}`,
  }),
  'reflection-model': text({
    help: 'openai: name of the language model that reflects on failures',
    ...none,
    defaultText: 'the --expert-model',
  }),
};

type TextFileValues = Values<typeof textFileOptions>;
type TextValues = TextFileValues & Pick<Values<typeof languageModelTextOptions>, 'expert-examples'>;

export interface LanguageModelTexts {
  /** few-shot episodes by task type; absent: ours */
  readonly examplesOf?: (taskType: string | null) => readonly string[];
  /** how many of ours; absent: as many as by default */
  readonly exampleCount?: number;
  /** for the reflection query; absent: ours */
  readonly failureExamples?: string;
}

/** Reads the files that were named. Errors: `missing`, `data`, `usage` for more episodes than there are. */
export function languageModelTexts(values: TextValues): LanguageModelTexts {
  const prompts = textOf('expert-prompts', values);
  const failures = textOf('reflection-examples', values);
  return {
    ...examples(prompts, values['expert-examples']),
    ...(failures && { failureExamples: readFailureExamples(failures.text, failures.place) }),
  };
}

/** A file may have fewer than are shown by default, but not fewer than were asked for. */
function examples(
  prompts: TextFile | null,
  asked: number | null,
): Pick<LanguageModelTexts, 'examplesOf' | 'exampleCount'> {
  if (!prompts) {
    requireThere(asked, mostFewShotExamples, 'are built in');
    return asked === null ? {} : { exampleCount: asked };
  }
  const file = readPromptFile(prompts.text, prompts.place);
  const most = Math.min(...taskTypes.map((taskType) => file.examples(taskType).length));
  requireThere(asked, most, `${prompts.place} has`);
  const count = asked ?? defaultFewShotExamples;
  return { examplesOf: (taskType) => shownAsInReact(file.examples(taskType), count) };
}

function requireThere(asked: number | null, most: number, source: string): void {
  if (asked !== null && asked > most)
    throw new EmacError(
      'usage',
      `--expert-examples: must be at most ${most}, which ${source} for every task type, got ${asked}`,
    );
}

interface TextFile {
  readonly text: string;
  readonly place: string;
}

function textOf(flag: keyof TextFileValues, values: TextFileValues): TextFile | null {
  const path = values[flag];
  if (path === null) return null;
  const place = `--${flag} ${path}`;
  if (!isThere(path)) throw new EmacError('missing', `${place}: is not there`);
  if (!isFile(path)) throw new EmacError('data', `${place}: is not a file`);
  return { text: whileReading(path, () => readFileSync(path, 'utf8')), place };
}
