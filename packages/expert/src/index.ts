export { openaiLanguageModel, replayedLanguageModel } from './language-model.ts';
export type {
  CompletionOptions,
  GuardedLanguageModel,
  OpenaiLanguageModelOptions,
} from './language-model.ts';
export { openaiExpert } from './openai-expert.ts';
export type { AskedModel, ExpertEvent, OpenaiExpertOptions } from './openai-expert.ts';
export { expertPrompt } from './expert-prompt.ts';
export type { ExpertPromptOptions } from './expert-prompt.ts';
export { realClock } from './clock.ts';
export type { Clock } from './clock.ts';
export { labelAll } from './label-all.ts';
export type { LabelAllOptions } from './label-all.ts';
export { callLimits } from './limits.ts';
export type { LimitOptions, Limits } from './limits.ts';
export { spendingBudget } from './budget.ts';
export type { Budget, BudgetOptions, Prices, Reservation, Usage } from './budget.ts';
export { countedUpTo, tokenEstimate } from './token-estimate.ts';
export type { TokenEstimate } from './token-estimate.ts';
export { requestKey } from './journal.ts';
export type { Journal, JournalEntry, JournaledRequest } from './journal.ts';
export { openReplyJournal, readReplies } from './reply-journal.ts';
export type { ReplyJournal, ReplyJournalOptions, ReplyPosition } from './reply-journal.ts';
export type { Api } from './request.ts';
export type { Reply, ReplyEnd } from './response.ts';
