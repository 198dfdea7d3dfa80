/**
 * A language model of a service as a policy, with the expert's address, key, limits, budget and replies. In games it gets the
 * expert's prompt: rules, examples, the episode. Elsewhere it gets the environment's own prompt with the pictures, and where that
 * prompt does not name the actions, their list. A served agent gets the bare episode instead: it writes its own prompt.
 */
import {
  EmacError,
  type ChatMessage,
  type Frame,
  type OpenedKind,
  type Random,
  type Speech,
} from '@emac/core';
import type { AskedTool, Question, ReadAnswer } from '@emac/expert';
import { canonicalJson, sha256 } from '@emac/files';
import { encodePng } from '@emac/images';
import { answeredAction } from '@emac/postprocess';
import { episodeConversation } from '@emac/prompt';
import { handedOver } from '@emac/rollout';
import { usualEnvironment, type LanguageModelConfig } from '@emac/settings';
import { kindNamed } from '../environments/kind-of.ts';
import { openLanguageModels } from '../experts/language-models.ts';
import { openaiTeacher, promptTokensOf } from '../experts/openai-teacher.ts';
import { noReplies } from '../experts/reply-use.ts';
import { serviceAddress } from '../experts/service-address.ts';
import { spentOn } from '../experts/step-teacher.ts';
import type { Host } from '../host.ts';
import {
  drawnAction,
  type ChosenAction,
  type EnvironmentPlayer,
  type PlayedMoment,
} from './environment-player.ts';

export interface ServiceOptions {
  readonly opened: OpenedKind;
  /** of the requests; `model` is the player's own */
  readonly languageModel: LanguageModelConfig;
  readonly temperature: number;
  /** of waiting times between attempts */
  readonly random: Random;
  readonly messages: ServiceMessages;
}

/**
 * `episode`: observations and commands alone, as `emac serve` reads them; the answer is taken as it is. `tools`: the prompt, answered by the
 * call of a tool.
 */
export const serviceMessages = ['prompt', 'episode', 'tools'] as const;
export type ServiceMessages = (typeof serviceMessages)[number];

type Answers = (moment: PlayedMoment) => Promise<ReadAnswer<string> & Pick<ChosenAction, 'isRepaired'>>;

/** Errors: `usage`, `auth` without key and address, `missing` and `data` of a file to replay. */
export async function servicePlayer(
  model: string,
  { opened, temperature, random, messages, ...options }: ServiceOptions,
  host: Pick<Host, 'env' | 'now'>,
): Promise<EnvironmentPlayer> {
  const config = { ...options.languageModel, model };
  const { readReplies } = await import('@emac/expert');
  const { ask, keepReplies, notes, dispose } =
    messages === 'prompt' && opened.id === usualEnvironment
      ? await asExpert(config, { temperature, random }, host)
      : await inEnvironment(config, { opened, temperature, random, messages }, host);
  let journal = '';
  return {
    content: sha256(canonicalJson(contentOf(config, { temperature, messages, env: host.env }))),
    isDrawn: temperature > 0,
    atOnce: config.concurrency,
    notes,
    async act(moment) {
      const answer = await pausing(() => ask(moment));
      return answer.kind === 'read'
        ? { action: answer.value, isFallback: false, ...(answer.isRepaired && { isRepaired: true }) }
        : drawnAction(`openai:${model}`, moment);
    },
    service: {
      keepReplies(path) {
        journal = path;
        keepReplies(path);
      },
      spent: () => spentOn(readReplies(journal), config),
    },
    dispose: async () => dispose(),
  };
}

/** Settings that decide requests, and the address, as a model's name says nothing without it. */
function contentOf(
  config: LanguageModelConfig,
  { temperature, messages, env }: Pick<ServiceOptions, 'temperature' | 'messages'> & Pick<Host, 'env'>,
) {
  const { model, api, context, answerTokens, admissible, repairActions, prompts, examples } = config;
  const { baseUrl } = serviceAddress(config, env);
  return {
    model,
    api,
    context,
    answerTokens,
    admissible,
    repairActions,
    prompts,
    examples,
    baseUrl,
    temperature,
    ...(messages !== 'prompt' && { messages }),
  };
}

interface Asked {
  readonly ask: Answers;
  readonly keepReplies: (path: string) => void;
  readonly notes: readonly string[];
  readonly dispose: () => void;
}

type Drawing = Pick<ServiceOptions, 'temperature' | 'random'>;

async function asExpert(
  languageModel: LanguageModelConfig,
  { temperature, random }: Drawing,
  host: Pick<Host, 'env' | 'now'>,
): Promise<Asked> {
  const given = { thoughts: false, languageModel, temperature };
  const teacher = await openaiTeacher(given, host, random);
  return {
    async ask({ task, history, observation: { admissible } }) {
      const label = await teacher.expert.label({ task, history, memories: [], admissible });
      if (label.kind !== 'action') return label;
      return { kind: 'read', value: label.command, isRepaired: label.isRepaired === true };
    },
    keepReplies: (path) => teacher.keepReplies(path, noReplies),
    notes: teacher.notes,
    dispose: () => teacher.dispose(),
  };
}

async function inEnvironment(
  config: LanguageModelConfig,
  { opened, temperature, random, messages }: Omit<ServiceOptions, 'languageModel'>,
  host: Pick<Host, 'env' | 'now'>,
): Promise<Asked> {
  const { readAnswer } = await import('@emac/expert');
  const maxTokens = promptTokensOf(config);
  const models = await openLanguageModels(config, host, random);
  const observe = config.api === 'completions' ? ('text' as const) : ('both' as const);
  const policy = { countPromptTokens: (text: string) => models.countTokens(text) };
  const speech = opened.speech(policy, { maxTokens, observe, thoughts: true });
  return {
    ask: async (moment) => {
      const { frames } = moment.observation;
      const pictures = observe === 'text' ? [] : await Promise.all(frames.map(addressOf));
      const isEpisode = messages === 'episode';
      const said = isEpisode
        ? episodeOf(moment, config)
        : [asked(contentFor({ ...opened, messages }, speech, moment))];
      const newest = { ...said.at(-1)!, ...(pictures.length > 0 && { pictures }) };
      const tool = messages === 'tools' ? toolOf(moment) : undefined;
      const readText = (text: string) => readAction(text, { opened, speech, moment });
      const read: Question<string>['read'] = (text, { isCut }) => {
        if (isEpisode) return { value: agentAction(text, speech) };
        if (tool) return readCall(text, moment);
        return isCut ? readCut(text, readText) : readText(text);
      };
      return readAnswer(
        { messages: [...said.slice(0, -1), newest], read, ...(tool && { tool }) },
        { languageModel: models.model, temperature },
      );
    },
    keepReplies: (path) => models.keepReplies(path, noReplies),
    notes: models.notes,
    dispose: () => models.dispose(),
  };
}

function asked(content: string): ChatMessage {
  return { role: 'user', content };
}

function episodeOf(
  { history, observation }: PlayedMoment,
  config: LanguageModelConfig,
): readonly ChatMessage[] {
  return episodeConversation({ history, admissible: config.admissible ? observation.admissible : null });
}

/** As for a policy of this machine: an answer without an action is handed over whole. */
function agentAction(text: string, speech: Speech): string {
  const answer = { text, tokens: [], logProbabilities: [] };
  return handedOver(answer, speech.read(answer, null));
}

async function addressOf(frame: Frame): Promise<string> {
  return `data:image/png;base64,${Buffer.from(await encodePng(frame)).toString('base64')}`;
}

/** Published prompts of numbered actions say everything; others may need the actions. */
function contentFor(
  { id, messages }: Pick<OpenedKind, 'id'> & Pick<ServiceOptions, 'messages'>,
  speech: Speech,
  { history, observation }: Pick<PlayedMoment, 'history' | 'observation'>,
): string {
  const prompt = speech.prompt({ history, observation, memories: [] });
  const { admissible } = observation;
  if (kindNamed(id)?.local || !admissible?.length) return prompt;
  const way =
    messages === 'tools'
      ? 'Call act with one of them.'
      : 'Answer with one of these actions and nothing else.';
  return `${prompt}\n\nActions now:\n${admissible.join('\n')}\n\n${way}`;
}

/** One tool, whose only argument is the action. */
function toolOf({ observation: { admissible } }: PlayedMoment): AskedTool {
  const choice = admissible?.length ? { enum: admissible } : {};
  const action = { type: 'string', description: 'the action to take now', ...choice };
  return {
    name: 'act',
    description: 'Takes one action in the environment.',
    parameters: {
      type: 'object',
      properties: { action },
      required: ['action'],
      additionalProperties: false,
    },
  };
}

type ReadAction = { readonly value: string } | { readonly problem: string };

const excerpt = (text: string): string => text.trim().replace(/\s+/g, ' ').slice(0, 80);

function readCall(text: string, { observation: { admissible } }: PlayedMoment): ReadAction {
  const action = actionIn(text);
  const shown = excerpt(text);
  if (action === null) return { problem: `"${shown}" is no call of the tool` };
  const isPossible = admissible?.length ? admissible.includes(action) : true;
  return isPossible ? { value: action } : { problem: `"${shown}" names no action` };
}

function actionIn(text: string): string | null {
  try {
    const { action } = JSON.parse(text) as { readonly action?: unknown };
    return typeof action === 'string' ? action : null;
  } catch {
    return null;
  }
}

function readAction(
  text: string,
  {
    opened,
    speech,
    moment,
  }: { readonly opened: OpenedKind; readonly speech: Speech; readonly moment: PlayedMoment },
): ReadAction {
  const { admissible } = moment.observation;
  const problem = `"${excerpt(text)}" names no action`;
  if (kindNamed(opened.id)?.local || !admissible?.length) {
    const { action } = speech.read({ text, tokens: [], logProbabilities: [] }, null);
    return action === null ? { problem } : { value: action };
  }
  const { action, source } = answeredAction(text, { actions: admissible, draw: ([first]) => first! });
  return source === 'random' ? { problem } : { value: action };
}

/** An answer that was cut counts if what is missing cannot change its action: `"action": "1` may have been 10. */
function readCut(text: string, read: (text: string) => ReadAction): ReadAction {
  const [found, longer] = [read(text), read(`${text}0`)];
  const isSure = 'value' in found && 'value' in longer && found.value === longer.value;
  return isSure ? found : { problem: `"${excerpt(text)}" was cut` };
}

/** A service that does not answer pauses the evaluation, as it pauses training. */
async function pausing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof EmacError) || thrown.code !== 'unavailable') throw thrown;
    throw new EmacError('interrupted', thrown.message, { cause: thrown });
  }
}
