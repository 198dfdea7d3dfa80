/** A chat model that answers messages as they are, through the chat template of its folder: opened by the name of its run, checkpoint or model. */
import type { Chatting } from '@emac/bridge';
import { askedText, type AskedMessages, type Question, type Sampling } from '@emac/core';
import {
  actingIn,
  checkpointForm,
  openPolicy,
  plainHost,
  type EvaluatedPolicy,
  type Host,
} from '@emac/opening';
import { promptAt } from '@emac/rollout';
import { evaluationConfig } from '@emac/settings';
import type { AgentOptions } from './agent.ts';

export interface ChatModel extends Pick<EvaluatedPolicy, 'student' | 'form'> {
  /** how its answers are chosen without a temperature */
  readonly sampling: Sampling;
  /** Its question about messages, with what they may call. Pictures stand in the last message. */
  question(asked: AskedMessages, how: Chatting): Promise<Question>;
  dispose(): Promise<void>;
}

/** longest answer of a model that was not trained here, in tokens */
const usualLength = 512;

/** Greedy where no number of beams is given. Errors: `missing`, `data`, `unavailable`, `config`; `usage` for a model without a chat template. */
export async function openChat(
  ckpt: string,
  { env = null, ...options }: AgentOptions = {},
  host: Pick<Host, 'env' | 'environment' | 'memory'> = plainHost(),
): Promise<ChatModel> {
  const config = evaluationConfig({ ...options, ckpt });
  const { maxLength } = config.speech;
  const speech = { ...config.speech, maxLength: maxLength ?? (checkpointForm(ckpt) ? null : usualLength) };
  const { student, form } = await openPolicy(
    { ...config, speech, env: actingIn(ckpt, env).env, dialogue: 'messages' },
    host,
  );
  return {
    student,
    form,
    sampling: { kind: 'search', beams: config.speech.beams ?? 1 },
    question: async (asked, { frames, random }) => {
      const text = askedText(asked);
      const { maxTokens, stop, form } = asked;
      const prompt = await promptAt(student, { text, frames, admissible: null }, text);
      return {
        prompt,
        allowed: null,
        random,
        ...(form && { form }),
        ...(maxTokens !== undefined && { maxTokens }),
        ...(stop && { stop }),
      };
    },
    dispose: () => student.dispose(),
  };
}

/** Whether a policy learned from messages as they are, so that it answers them so unless something else is asked for. */
export function readsMessages(ckpt: string): boolean {
  return checkpointForm(ckpt)?.spoken?.text.dialogue === 'messages';
}
