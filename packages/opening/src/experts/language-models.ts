/**
 * Language models of one service as the configuration names them, behind one budget, one journal and shared limits. The openai package is
 * loaded here alone, when they are opened.
 */
import { EmacError, invariant, type Random } from '@emac/core';
import type { GuardedLanguageModel, Journal, ReplyJournal, ReplyPosition, TokenEstimate } from '@emac/expert';
import type { ServiceConfig } from '@emac/settings';
import type { Host } from '../host.ts';
import { noReplies } from './reply-use.ts';
import { expertKey, serviceAddress, toldOf } from './service-address.ts';

export interface LanguageModels {
  /** the model that labels */
  readonly model: GuardedLanguageModel;
  /** another one of the same service */
  open(name: string): GuardedLanguageModel;
  countTokens(text: string): number;
  /** sentences for people */
  readonly notes: readonly string[];
  /**
   * sets the file that stores every reply before use, and the position to resume from; `used` is called with each used
   * line
   */
  keepReplies(path: string, from: ReplyPosition, used?: (line: number) => void): void;
  /** how much of that file has been used, without the lines that have not been put to use */
  position(pending: ReadonlySet<number>): ReplyPosition;
  dispose(): void;
}

/** Errors: `auth` without key and address, `usage`, `missing` and `data` of a file to replay. */
export async function openLanguageModels(
  config: ServiceConfig,
  { env, now }: Pick<Host, 'env' | 'now'>,
  random: Random,
): Promise<LanguageModels> {
  const expertPackage = await import('@emac/expert');
  const { openReplyJournal, readReplies, replayedLanguageModel, spendingBudget, tokenEstimate } =
    expertPackage;
  const { answerTokens: maxTokens, replay: source, api } = config;
  const replay = source === null ? undefined : readReplies(source);
  const name = config.model ?? replay?.[0]?.model ?? '';
  const budget = spendingBudget(budgetOptions(config));
  const journal = lateJournal();
  const countTokens = (text: string): number => count(text);
  const common = { api, maxTokens, journal: journal.journal, countTokens };
  const address = serviceAddress(config, env);
  const open =
    source === null
      ? servedModels(expertPackage, { ...config, ...address }, { ...common, budget, random, env, now })
      : (model: string) => replayedLanguageModel({ ...common, model, source });
  const model = open(name);
  // last, as it loads slowly: invalid settings were refused before
  const count = tokenEstimate(name);
  return {
    model,
    open,
    countTokens,
    notes: [...(source === null ? toldOf(address) : []), ...notesOf(count)],
    keepReplies(path, from, used) {
      const opened = openReplyJournal(path, { from, replay, ...(used && { used }) });
      budget.add(opened.spentBefore);
      journal.opened(opened);
    },
    position: (pending) => journal.position(pending),
    dispose() {
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
  config: ServiceConfig,
  { env, now, ...common }: CommonOptions & Pick<Host, 'env' | 'now'>,
): (name: string) => GuardedLanguageModel {
  const sending = serviceSettings(config);
  const clock = realClock(now);
  const limits = callLimits({ ...sending, clock });
  const apiKey = expertKey(env);
  return (model) => openaiLanguageModel({ ...common, ...sending, limits, clock, apiKey, model });
}

function notesOf({ note }: TokenEstimate): readonly string[] {
  return note === null ? [] : [note];
}

function serviceSettings({
  baseUrl,
  deadline,
  concurrency,
  requestsPerMinute,
  tokensPerMinute,
}: ServiceConfig) {
  return {
    baseUrl: baseUrl ?? undefined,
    deadlineMs: deadline * 1000,
    concurrency,
    requestsPerMinute: requestsPerMinute ?? undefined,
    tokensPerMinute: tokensPerMinute ?? undefined,
  };
}

function budgetOptions({ priceIn: prompt, priceOut: completion, budget, maxTokensTotal }: ServiceConfig) {
  if (budget !== null && (prompt === null || completion === null))
    throw new EmacError('usage', '--expert-budget: needs --expert-price-in and --expert-price-out');
  return {
    maxTokens: maxTokensTotal ?? undefined,
    maxCost: budget ?? undefined,
    prices: prompt === null || completion === null ? undefined : { prompt, completion },
  };
}

/** The journal lies in the run's folder, which is created after everything is opened and checked. */
function lateJournal() {
  let open: ReplyJournal | undefined;
  const journal: Required<Journal> = {
    append: (entry) => {
      invariant(open, 'language model: replies need a journal before the first request');
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
