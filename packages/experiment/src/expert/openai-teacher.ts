/** A language model that labels and reflects, as the configuration names it. The openai package is loaded here alone. */
import { EmacError, invariant, type Random } from '@emac/core';
import type { ExpertEvent, GuardedLanguageModel, Journal, ReplyJournal, TokenEstimate } from '@emac/expert';
import { reflect } from '@emac/reflexion';
import type { ExpertConfig, LanguageModelConfig } from '../config/expert-config.ts';
import type { Host } from '../host.ts';
import { expertKey } from './expert-key.ts';
import { languageModelTexts } from './language-model-texts.ts';
import { noReplies, replyUse } from './reply-use.ts';
import type { Teacher } from './teacher.ts';

/** of a prompt's room, for what frames its messages */
const framing = 0.05;

/** Errors: `auth` without key and address, `usage`, `missing` and `data` of a file to replay. */
export async function openaiTeacher(
  { languageModel: config, thoughts: imitateThoughts }: ExpertConfig,
  { env, now }: Pick<Host, 'env' | 'now'>,
  random: Random,
): Promise<Teacher> {
  const expertPackage = await import('@emac/expert');
  const { countedUpTo, openaiExpert, openReplyJournal, readReplies, spendingBudget, tokenEstimate } =
    expertPackage;
  const { answerTokens, replay: source } = config;
  const replay = source === null ? undefined : readReplies(source);
  const model = config.model ?? replay?.[0]?.model ?? '';
  const maxPromptTokens = promptTokensOf(config);
  const budget = spendingBudget(budgetOptions(config));
  const journal = lateJournal();
  const use = replyUse();
  const { failureExamples: examples, ...shown } = languageModelTexts(config);
  const countTokens = (text: string): number => count(text);
  const common = { api: config.api, maxTokens: answerTokens, journal: journal.journal, countTokens };
  const heard = onceForEachTask();
  const open =
    source === null
      ? servedModels(expertPackage, config, { ...common, budget, random, env, now })
      : (name: string) => expertPackage.replayedLanguageModel({ ...common, model: name, source });
  const languageModel = open(model);
  const reflecting = config.reflectionModel === null ? languageModel : open(config.reflectionModel);
  // last, as it takes long to load: what cannot work was refused before
  const count = tokenEstimate(model);
  const reading = {
    ...shown,
    ...labelling(config),
    maxPromptTokens,
    countTokens: countedUpTo(maxPromptTokens, countTokens),
  };
  const expert = openaiExpert({ languageModel, imitateThoughts, ...reading, report: heard.event });
  return {
    expert: { label: (request) => use.during(request.task.id, () => expert.label(request)) },
    reflect: ({ history, lessons, expertCommands }) => {
      const query = { history, memories: lessons, languageModel: reflecting, expertCommands };
      return reflect({ ...query, ...(examples !== undefined && { examples }) });
    },
    isPaid: true,
    promptTokens: (request) => {
      const { prompt } = expertPackage.fittedExpertPrompt(request, reading);
      return prompt.reduce((sum, { content }) => sum + countTokens(content), 0);
    },
    notes: notesOf(count),
    listen: heard.listen,
    keepReplies: (path, from) => {
      const opened = openReplyJournal(path, { from, replay, used: (line) => use.used(line) });
      budget.add(opened.spentBefore);
      journal.opened(opened);
    },
    made: (taskId) => use.made(taskId),
    position: (isExtra) => {
      if (!isExtra) use.settle();
      return journal.position(use.pending());
    },
    dispose: () => {
      journal.close();
      count.free();
    },
  };
}

type CommonOptions = Pick<
  Parameters<typeof import('@emac/expert').openaiLanguageModel>[0],
  'api' | 'maxTokens' | 'journal' | 'countTokens' | 'budget' | 'random'
>;

/** Language models by name; one service answers them all, within its limits. */
function servedModels(
  { callLimits, openaiLanguageModel, realClock }: typeof import('@emac/expert'),
  config: LanguageModelConfig,
  { env, now, ...common }: CommonOptions & Pick<Host, 'env' | 'now'>,
): (name: string) => GuardedLanguageModel {
  const sending = serviceSettings(config);
  const clock = realClock(now);
  const limits = callLimits({ ...sending, clock });
  const apiKey = expertKey(env);
  return (model) => openaiLanguageModel({ ...common, ...sending, limits, clock, apiKey, model });
}

function labelling({ api, admissible, repairActions }: LanguageModelConfig) {
  const format = api === 'completions' ? ('react' as const) : ('chat' as const);
  return { format, showAdmissible: admissible, requireAdmissible: admissible, repairActions };
}

/** Events for whoever listens; that prompts are too long is told once for each task. */
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

function notesOf({ note }: TokenEstimate): readonly string[] {
  return note === null ? [] : [note];
}

function promptTokensOf({ context, answerTokens }: LanguageModelConfig): number {
  const maxPromptTokens = Math.floor((context - answerTokens) * (1 - framing));
  if (maxPromptTokens < 1)
    throw new EmacError(
      'usage',
      `--expert-context: must leave room beside the answer, got ${context} with an answer of ${answerTokens} tokens`,
    );
  return maxPromptTokens;
}

function serviceSettings({
  baseUrl,
  deadline,
  concurrency,
  requestsPerMinute,
  tokensPerMinute,
}: LanguageModelConfig) {
  return {
    baseUrl: baseUrl ?? undefined,
    deadlineMs: deadline * 1000,
    concurrency,
    requestsPerMinute: requestsPerMinute ?? undefined,
    tokensPerMinute: tokensPerMinute ?? undefined,
  };
}

function budgetOptions({
  priceIn: prompt,
  priceOut: completion,
  budget,
  maxTokensTotal,
}: LanguageModelConfig) {
  if (budget !== null && (prompt === null || completion === null))
    throw new EmacError('usage', '--expert-budget: needs --expert-price-in and --expert-price-out');
  return {
    maxTokens: maxTokensTotal ?? undefined,
    maxCost: budget ?? undefined,
    prices: prompt === null || completion === null ? undefined : { prompt, completion },
  };
}

/** The journal lies in the run's folder, which is made after everything was opened and checked. */
function lateJournal() {
  let open: ReplyJournal | undefined;
  const journal: Required<Journal> = {
    append: (entry) => {
      invariant(open, 'language model: its replies must be kept before one is asked for');
      open.append(entry);
    },
    take: (request) => open?.take(request) ?? null,
  };
  return {
    journal,
    opened: (journal: ReplyJournal) => void (open = journal),
    position: (pending: ReadonlySet<number>) => open?.position(pending) ?? noReplies,
    close: () => open?.close(),
  };
}
