/** A language model that labels and reflects, as the flags name it. The openai package is loaded here alone. */
import { EmacError, invariant, type Random } from '@emac/core';
import { reflect } from '@emac/reflexion';
import type { ExpertEvent, GuardedLanguageModel, Journal, ReplyJournal, TokenEstimate } from '@emac/expert';
import { expertKey } from './expert-key.ts';
import type { Io } from './io.ts';
import { languageModelTexts } from './language-model-texts.ts';
import type { LanguageModelValues } from './llm-options.ts';
import { noReplies } from './reply-journal.ts';
import type { Teacher } from './teacher.ts';
import type { TrainValues } from './train-options.ts';

const defaults = { context: 16_384, answerTokens: 1024 };

/** of a prompt's room, for what frames its messages */
const framing = 0.05;

/** Errors: `auth` without key and address, `usage`, `missing` and `data` of a file to replay. */
export async function openaiTeacher(
  values: LanguageModelValues & Pick<TrainValues, 'imitate-thoughts'>,
  { env, now }: Pick<Io, 'env' | 'now'>,
  random: Random,
): Promise<Teacher> {
  const expertPackage = await import('@emac/expert');
  const { countedUpTo, openaiExpert, openReplyJournal, readReplies, spendingBudget, tokenEstimate } =
    expertPackage;
  const replayPath = values['expert-replay'];
  const replay = replayPath === null ? undefined : readReplies(replayPath);
  const model = values['expert-model'] ?? replay?.[0]?.model ?? '';
  const { api, answerTokens, maxPromptTokens } = requestSettings(values);
  const budget = spendingBudget(budgetOptions(values));
  const journal = lateJournal();
  const { failureExamples: examples, ...shown } = languageModelTexts(values);
  const countTokens = (text: string): number => count(text);
  const common = { api, maxTokens: answerTokens, journal: journal.journal, countTokens };
  const heard = onceForEachGame();
  const sending = serviceSettings(values);
  const clock = expertPackage.realClock(now);
  // one service answers both models
  const limits = expertPackage.callLimits({ ...sending, clock });
  const open = (model: string): GuardedLanguageModel => {
    if (replayPath !== null)
      return expertPackage.replayedLanguageModel({ ...common, model, source: replayPath });
    return expertPackage.openaiLanguageModel({
      ...{ ...common, ...sending, model, budget, limits, clock, random, apiKey: expertKey(env) },
    });
  };
  const languageModel = open(model);
  const ofReflections = values['reflection-model'];
  const reflecting = ofReflections === null ? languageModel : open(ofReflections);
  // last, as it takes long to load: what cannot work was refused before
  const count = tokenEstimate(model);
  const isNarrow = values['expert-admissible'];
  return {
    expert: openaiExpert({
      ...{ languageModel, imitateThoughts: values['imitate-thoughts'], ...shown },
      ...{ format: api === 'completions' ? 'react' : 'chat' },
      ...{ showAdmissible: isNarrow, requireAdmissible: isNarrow, repairActions: values['repair-actions'] },
      report: heard.event,
      ...{ maxPromptTokens, countTokens: countedUpTo(maxPromptTokens, countTokens) },
    }),
    reflect: ({ history, lessons, expertCommands }) =>
      reflect({
        ...{ history, memories: lessons, languageModel: reflecting, expertCommands },
        ...(examples !== undefined && { examples }),
      }),
    notes: notesOf(count),
    listen: heard.listen,
    keepReplies: (path, from) => {
      const opened = openReplyJournal(path, { from, replay });
      budget.add(opened.spentBefore);
      journal.opened(opened);
    },
    position: journal.position,
    dispose: () => {
      journal.close();
      count.free();
    },
  };
}

/** Events for whoever listens; that prompts are too long is told once for each game. */
function onceForEachGame() {
  const told = new Set<string>();
  let tell = (_event: ExpertEvent): void => {};
  return {
    event(event: ExpertEvent): void {
      const { kind, gameId } = event;
      if (kind === 'prompt-shortened' && told.has(gameId)) return;
      if (kind === 'prompt-shortened') told.add(gameId);
      tell(event);
    },
    listen: (listener: typeof tell) => void (tell = listener),
  };
}

function notesOf({ note }: TokenEstimate): readonly string[] {
  return note === null ? [] : [note];
}

function requestSettings(values: LanguageModelValues) {
  const context = values['expert-context'] ?? defaults.context;
  const answerTokens = values['expert-answer-tokens'] ?? defaults.answerTokens;
  const maxPromptTokens = Math.floor((context - answerTokens) * (1 - framing));
  if (maxPromptTokens < 1)
    throw new EmacError(
      'usage',
      `--expert-context: must leave room beside the answer, got ${context} with an answer of ${answerTokens} tokens`,
    );
  return { api: values['expert-api'] ?? 'chat', answerTokens, maxPromptTokens };
}

function serviceSettings(values: LanguageModelValues) {
  const seconds = values['expert-deadline'];
  return {
    baseUrl: values['expert-base-url'] ?? undefined,
    deadlineMs: seconds === null ? undefined : seconds * 1000,
    concurrency: values['expert-concurrency'] ?? undefined,
    requestsPerMinute: values['expert-requests-per-minute'] ?? undefined,
    tokensPerMinute: values['expert-tokens-per-minute'] ?? undefined,
  };
}

function budgetOptions(values: LanguageModelValues) {
  const [prompt, completion] = [values['expert-price-in'], values['expert-price-out']];
  const maxCost = values['expert-budget'];
  if (maxCost !== null && (prompt === null || completion === null))
    throw new EmacError('usage', '--expert-budget: needs --expert-price-in and --expert-price-out');
  return {
    maxTokens: values['expert-max-tokens-total'] ?? undefined,
    maxCost: maxCost ?? undefined,
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
    position: () => open?.position() ?? noReplies,
    close: () => open?.close(),
  };
}
