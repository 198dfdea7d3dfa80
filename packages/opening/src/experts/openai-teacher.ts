/** A language model that labels and reflects, as the configuration names it. */
import { EmacError, type Random } from '@emac/core';
import type { ExpertEvent } from '@emac/expert';
import { reflect } from '@emac/reflexion';
import type { ExpertConfig, LanguageModelConfig } from '@emac/settings';
import type { Host } from '../host.ts';
import { languageModelTexts } from './language-model-texts.ts';
import { openLanguageModels } from './language-models.ts';
import { replyUse } from './reply-use.ts';
import type { Teacher } from './teacher.ts';

/** share of a prompt's room reserved for message framing */
const framing = 0.05;

export interface AskedTeacher extends Pick<ExpertConfig, 'languageModel' | 'thoughts'> {
  /** of the first attempt at a label; default 0 */
  readonly temperature?: number;
}

/** Errors: `auth` without key and address, `usage`, `missing` and `data` of a file to replay. */
export async function openaiTeacher(
  { languageModel: config, thoughts: imitateThoughts, temperature = 0 }: AskedTeacher,
  host: Pick<Host, 'env' | 'now'>,
  random: Random,
): Promise<Teacher> {
  const maxPromptTokens = promptTokensOf(config);
  const { failureExamples: examples, ...shown } = languageModelTexts(config);
  const { countedUpTo, fittedExpertPrompt, openaiExpert } = await import('@emac/expert');
  const models = await openLanguageModels(config, host, random);
  const { model: languageModel, countTokens } = models;
  const reflecting = config.reflectionModel === null ? languageModel : models.open(config.reflectionModel);
  const use = replyUse();
  const heard = onceForEachTask();
  const reading = {
    ...shown,
    ...labelling(config),
    maxPromptTokens,
    countTokens: countedUpTo(maxPromptTokens, countTokens),
  };
  const expert = openaiExpert({
    languageModel,
    imitateThoughts,
    temperature,
    ...reading,
    report: heard.event,
  });
  return {
    expert: { label: (request) => use.during(request.task.id, () => expert.label(request)) },
    reflect: ({ history, lessons, expertCommands }) => {
      const query = { history, memories: lessons, languageModel: reflecting, expertCommands };
      return reflect({ ...query, ...(examples !== undefined && { examples }) });
    },
    isPaid: true,
    promptTokens: (request) => {
      const { prompt } = fittedExpertPrompt(request, reading);
      return prompt.reduce((sum, { content }) => sum + countTokens(content), 0);
    },
    notes: models.notes,
    listen: heard.listen,
    keepReplies: (path, from) => models.keepReplies(path, from, (line) => use.used(line)),
    made: (taskId) => use.made(taskId),
    position: (isExtra) => {
      if (!isExtra) use.settle();
      return models.position(use.pending());
    },
    dispose: () => models.dispose(),
  };
}

function labelling({ api, admissible, repairActions }: LanguageModelConfig) {
  const format = api === 'completions' ? ('react' as const) : ('chat' as const);
  return { format, showAdmissible: admissible, requireAdmissible: admissible, repairActions };
}

/** Events for the listener; a prompt that is too long is reported once per task. */
function onceForEachTask() {
  const told = new Set<string>();
  let tell = (_event: ExpertEvent): void => {};
  return {
    event(event: ExpertEvent): void {
      const { kind, taskId } = event;
      if (kind === 'prompt-shortened' && told.has(taskId)) return;
      if (kind === 'prompt-shortened') told.add(taskId);
      tell(event);
    },
    listen: (listener: typeof tell) => void (tell = listener),
  };
}

/** Room for a prompt. Errors: `usage` if there is none. */
export function promptTokensOf({ context, answerTokens }: LanguageModelConfig): number {
  const maxPromptTokens = Math.floor((context - answerTokens) * (1 - framing));
  if (maxPromptTokens < 1)
    throw new EmacError(
      'usage',
      `--expert-context: must leave room for the answer, got ${context} with an answer of ${answerTokens} tokens`,
    );
  return maxPromptTokens;
}
