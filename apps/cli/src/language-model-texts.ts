/** Texts that people bring for the language model: few-shot episodes, failed examples; and who reflects. */
import { readFileSync } from 'node:fs';
import { EmacError, type TaskType } from '@emac/core';
import { isFile, isThere, whileReading } from '@emac/files';
import { readPromptFile } from '@emac/prompt';
import { readFailureExamples } from '@emac/reflexion';
import { text, type Values } from './option.ts';

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
  'reflection-model': text({
    help: 'openai: name of the language model that reflects on failures',
    ...none,
    defaultText: 'the --expert-model',
  }),
};

type TextFileValues = Values<typeof textFileOptions>;

export interface LanguageModelTexts {
  /** few-shot episodes by task type; absent: ours */
  readonly examplesOf?: (taskType: TaskType | null) => readonly string[];
  /** for the reflection query; absent: ours */
  readonly failureExamples?: string;
}

/** Reads the files that were named. Errors: `missing`, `data`. */
export function languageModelTexts(values: TextFileValues): LanguageModelTexts {
  const prompts = textOf('expert-prompts', values);
  const failures = textOf('reflection-examples', values);
  return {
    ...(prompts && { examplesOf: shownAsInReact(readPromptFile(prompts.text, prompts.place)) }),
    ...(failures && { failureExamples: readFailureExamples(failures.text, failures.place) }),
  };
}

/** ReAct and Reflexion show two episodes, number 1 before number 0. */
function shownAsInReact({ examples }: ReturnType<typeof readPromptFile>) {
  return (taskType: TaskType | null) => examples(taskType).slice(0, 2).reverse();
}

function textOf(flag: keyof TextFileValues, values: TextFileValues): { text: string; place: string } | null {
  const path = values[flag];
  if (path === null) return null;
  const place = `--${flag} ${path}`;
  if (!isThere(path)) throw new EmacError('missing', `${place}: is not there`);
  if (!isFile(path)) throw new EmacError('data', `${place}: is not a file`);
  return { text: whileReading(path, () => readFileSync(path, 'utf8')), place };
}
