/** The user's texts for the language model: few-shot episodes and failed examples. */
import { EmacError } from '@emac/core';
import { isFile, isThere, readText } from '@emac/files';
import { defaultFewShotExamples, mostFewShotExamples, readPromptFile, shownAsInReact } from '@emac/prompt';
import { readFailureExamples } from '@emac/reflexion';
import type { LanguageModelConfig } from '@emac/settings';
import { taskTypes } from '@emac/world';

type TextConfig = Pick<LanguageModelConfig, 'prompts' | 'reflectionExamples' | 'examples'>;

export interface LanguageModelTexts {
  /** few-shot episodes by task type; absent: ours */
  readonly examplesOf?: (taskType: string | null) => readonly string[];
  /** how many of ours; absent: as many as by default */
  readonly exampleCount?: number;
  /** for the reflection query; absent: ours */
  readonly failureExamples?: string;
}

/** Reads the named files. Errors: `missing`, `data`, `usage` for fewer episodes than requested. */
export function languageModelTexts(config: TextConfig): LanguageModelTexts {
  const prompts = textOf('--expert-prompts', config.prompts);
  const failures = textOf('--reflection-examples', config.reflectionExamples);
  return {
    ...examples(prompts, config.examples),
    ...(failures && { failureExamples: readFailureExamples(failures.text, failures.place) }),
  };
}

/** A file may have fewer than the default number, but not fewer than requested. */
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

function textOf(name: string, path: string | null): TextFile | null {
  if (path === null) return null;
  const place = `${name} ${path}`;
  if (!isThere(path)) throw new EmacError('missing', `${place}: does not exist`);
  if (!isFile(path)) throw new EmacError('data', `${place}: is not a file`);
  return { text: readText(path), place };
}
