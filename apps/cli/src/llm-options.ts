/** The options of an expert that is a language model. */
import { languageModelTextOptions } from './language-model-texts.ts';
import { integer, choice, number, text, toggle, type Values } from './option.ts';

const none = { default: null } as const;

/** Of these, what may be given anew when a run goes on: none of it changes what is asked or answered. */
export const changeableExpertOptions = {
  'expert-max-tokens-total': integer([1, 999_999_999_999], {
    help: 'openai: budget of prompt and answer tokens for the whole run; may be raised with --resume',
    ...none,
  }),
  'expert-budget': number('above 0', {
    help: 'openai: budget in US dollars for the whole run, by --expert-price-in and -out; may be raised with --resume',
    ...none,
  }),
  'expert-price-in': number('from 0', { help: 'openai: US dollars for a million prompt tokens', ...none }),
  'expert-price-out': number('from 0', { help: 'openai: US dollars for a million answer tokens', ...none }),
  'expert-deadline': number('above 0', {
    help: 'openai: seconds for a call, its retries and waits included',
    ...none,
    defaultText: '180',
  }),
  'expert-concurrency': integer([1, 1000], {
    help: 'openai: calls in flight, at most',
    ...none,
    defaultText: '8',
  }),
  'expert-requests-per-minute': integer([1, 1_000_000], {
    help: 'openai: requests in any minute, at most',
    ...none,
  }),
  'expert-tokens-per-minute': integer([1, 999_999_999_999], {
    help: 'openai: tokens that the requests of any minute may take, at most',
    ...none,
  }),
};

export const languageModelOptions = {
  'expert-base-url': text({
    help: 'openai: address up to /v1; without it OpenAI, with the key in OPENAI_API_KEY or in the file OPENAI_API_KEY_FILE',
    ...none,
  }),
  'expert-model': text({ help: 'openai: name of the language model', ...none }),
  'expert-api': choice(['chat', 'responses', 'completions'], {
    help: 'openai: which interface is spoken',
    ...none,
    defaultText: 'chat',
  }),
  'expert-context': integer([1024, 100_000_000], {
    help: 'openai: tokens that prompt and answer may have together; the oldest turns are left out above that',
    ...none,
    defaultText: '16384',
  }),
  'expert-answer-tokens': integer([1, 1_000_000], {
    help: 'openai: longest answer, in tokens; models that reason need room for it',
    ...none,
    defaultText: '1024',
  }),
  'expert-admissible': toggle(
    'openai: the expert reads the commands that the world accepts and chooses among them',
  ),
  'repair-actions': toggle(
    'openai: a command that the world would not accept becomes the nearest that it does, up to 3 letters away',
  ),
  'expert-replay': text({
    help: 'openai: the llm.jsonl of an earlier run, whose replies are used again; needs no key and no network',
    ...none,
  }),
  ...languageModelTextOptions,
  ...changeableExpertOptions,
};

export type LanguageModelValues = Values<typeof languageModelOptions>;
