/**
 * The teacher: a language model that reads the episode and names the next command. An answer without a command is
 * retried at a higher temperature, as the published code does for answers under five characters (here the answer is
 * parsed, so `look` counts). After the last attempt the step has no label. Answers withheld by the service or refused
 * by the model are not retried. Departures: thoughts are limited (the published loop is not). A service fault is thrown
 * and never becomes a label or a gap, so a resumed run equals an undisturbed one.
 */
import type { Expert, History, Label, LabelRequest } from '@emac/core';
import { editDistance, nearestCommand, parseReply, type Reply as ParsedReply } from '@emac/postprocess';
import { commandInDialect, type Dropped } from '@emac/prompt';
import {
  defaultTries,
  inSpiteOfFaults,
  keptBack,
  temperatureAfter,
  unreadableEnds,
  type AskedModel,
  type TryOptions,
} from './asked-again.ts';
import { fittedExpertPrompt, type ExpertPromptOptions } from './expert-prompt.ts';

export interface OpenaiExpertOptions extends ExpertPromptOptions, TryOptions {
  readonly languageModel: AskedModel;
  /** most thoughts before a command; default 5 */
  readonly maxThoughts?: number;
  /** a thought is a label (`think: …`), as with the published `enable_tc`; default false */
  readonly imitateThoughts?: boolean;
  /** a command outside the world's accepted ones, if known, is unusable; default false */
  readonly requireAdmissible?: boolean;
  /** a command that the world would not accept is replaced by the nearest accepted one, if any; default false */
  readonly repairActions?: boolean;
  /** receives events that a label does not contain */
  readonly report?: (event: ExpertEvent) => void;
  /** longest answer in tokens; default: the model's */
  readonly maxTokens?: number;
}

export type ExpertEvent =
  | {
      readonly kind: 'prompt-shortened';
      readonly taskId: string;
      readonly dropped: Dropped;
      /** false if even rules and task alone are too long; the prompt is sent anyway */
      readonly fits: boolean;
    }
  | {
      readonly kind: 'command-repaired';
      readonly taskId: string;
      readonly said: string;
      readonly command: string;
      /** letters inserted, deleted or replaced */
      readonly distance: number;
    };

/** An expert that asks a language model for labels; the model's faults (EmacError) pass through. */
export function openaiExpert(options: OpenaiExpertOptions): Expert {
  return { label: (request) => label(request, options) };
}

async function label(request: LabelRequest, options: OpenaiExpertOptions): Promise<Label> {
  const { maxTries = defaultTries, maxThoughts = 5 } = options;
  const thoughts: string[] = [];
  const known = new Set(request.history.turns.map(({ command }) => command.replace(/^think: /, '')));
  let reason = 'the model was not asked';
  for (let failed = 0; failed < maxTries;) {
    const ask = () => askOnce(request, { thoughts, failed }, options);
    const { text, end = 'stop' } = await inSpiteOfFaults(ask, options);
    if (end === 'filtered' || end === 'refused') return keptBack(end, text);
    const reply = end === 'length' ? cutReply(text) : parseReply(text);
    const command = reply.command === null ? null : commandForWorld(reply.command, request, options);
    const more = reply.thoughts.filter((thought) => !thoughts.includes(thought));
    const isFresh = (thought: string): boolean => !known.has(thought);
    const fresh = more.filter(isFresh);
    if (options.imitateThoughts && fresh[0] !== undefined)
      return { kind: 'action', command: `think: ${fresh[0]}` };
    if (command !== null && isAccepted(command, request, options))
      return action(command, {
        thoughts: [...thoughts.filter(isFresh), ...fresh],
        isRepaired: command !== reply.command,
      });
    if (command === null && more.length > 0) {
      // includes thoughts from an earlier state: once answered, a command follows
      thoughts.push(...more);
      if (thoughts.length > maxThoughts) return noCommand(`more than ${maxThoughts} thoughts and no command`);
      continue;
    }
    failed++;
    reason = (command === null && unreadableEnds[end]) || whyUnusable(command, reply);
  }
  return noCommand(`after ${maxTries} tries: ${reason}`);
}

/**
 * A cut answer has a command only if it begins with it, as anything else before it may be reasoning without tags, and only if what is missing
 * cannot change it: `go to desk 1` may have been `go to desk 12`.
 */
function cutReply(text: string): ParsedReply {
  const reply = parseReply(text);
  const isWhole = reply.other === '' && parseReply(`${text}0`).command === reply.command;
  return isWhole ? reply : { ...reply, command: null };
}

interface Situation {
  readonly thoughts: readonly string[];
  /** unusable answers so far */
  readonly failed: number;
}

function askOnce(
  request: LabelRequest,
  { thoughts, failed }: Situation,
  options: OpenaiExpertOptions,
): ReturnType<AskedModel['reply']> {
  const { maxTokens, format = 'chat' } = options;
  const history = withThoughts(request.history, thoughts);
  const { prompt, dropped, fits } = fittedExpertPrompt({ ...request, history }, options);
  if (!fits || Object.values(dropped).some((count) => count > 0))
    options.report?.({ kind: 'prompt-shortened', taskId: request.task.id, dropped, fits });
  return options.languageModel.reply(prompt, {
    temperature: temperatureAfter(failed, options),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    // as published; it would truncate a chat model's answer that begins with a line break to nothing
    ...(format === 'react' ? { stop: ['\n'] } : {}),
  });
}

function withThoughts({ initial, turns }: History, thoughts: readonly string[]): History {
  return {
    initial,
    turns: [...turns, ...thoughts.map((thought) => ({ command: `think: ${thought}`, observation: 'OK.' }))],
  };
}

/** The command, in the dialect that the world accepts; repaired on request. */
function commandForWorld(
  command: string,
  { admissible: accepted, task }: LabelRequest,
  { repairActions = false, report }: OpenaiExpertOptions,
): string {
  const admissible = accepted ?? [];
  if (admissible.includes(command)) return command;
  const other = (['move', 'put'] as const).map((dialect) => commandInDialect(command, dialect));
  const known = other.find((candidate) => admissible.includes(candidate));
  const nearest =
    known === undefined
      ? repairActions && nearestCommand(command, admissible)
      : { command: known, distance: editDistance(command, known) };
  if (!nearest) return command;
  report?.({ kind: 'command-repaired', taskId: task.id, said: command, ...nearest });
  return nearest.command;
}

function isAccepted(
  command: string,
  { admissible }: LabelRequest,
  { requireAdmissible = false }: OpenaiExpertOptions,
): boolean {
  return !requireAdmissible || admissible === null || admissible.includes(command);
}

function action(
  command: string,
  { thoughts, isRepaired }: { readonly thoughts: readonly string[]; readonly isRepaired: boolean },
): Label {
  return {
    kind: 'action',
    command,
    ...(thoughts.length > 0 && { thoughts }),
    ...(isRepaired && { isRepaired }),
  };
}

function noCommand(reason: string): Label {
  return { kind: 'unusable', cause: 'no-command', reason };
}

function whyUnusable(command: string | null, { other, thoughts }: ParsedReply): string {
  if (command !== null) return `the world does not accept "${command.slice(0, 80)}"`;
  if (other !== '') return `"${other.slice(0, 80)}" is not a command`;
  return thoughts.length > 0 ? 'the answer repeats a thought' : 'the answer is empty';
}
