/** The conversation between a chat model and the tools of a custom environment: the task, then calls and what the tools said. */
import {
  askedText,
  callText,
  EmacError,
  readCallText,
  type AskedMessage,
  type AskedTool,
  type History,
  type Speech,
  type SpeechForm,
  type SpeechPolicy,
} from '@emac/core';
import { readCall } from '@emac/postprocess';

/** Above the limit the oldest calls are dropped. Errors: `usage` for a policy that is no chat model. */
export function toolSpeech(
  policy: SpeechPolicy,
  { maxTokens, dialogue }: SpeechForm,
  { id, tools }: { readonly id: string; readonly tools: readonly AskedTool[] },
): Speech {
  if (dialogue !== 'messages')
    throw new EmacError('usage', `${id}: has tools, which a chat model calls; give one with --policy`);
  return {
    prompt: ({ history: { initial, turns } }) => {
      for (let dropped = 0; ; dropped++) {
        const messages = messagesOf({ initial, turns: turns.slice(dropped) });
        const text = askedText({ messages, tools });
        if (dropped >= turns.length || policy.countPromptTokens(text) <= maxTokens) return text;
      }
    },
    target: (action) => action,
    read: ({ text }) => {
      const read = readCall(text);
      return { action: 'call' in read ? callText(read.call) : text.trim() || null, actionStart: 0 };
    },
  };
}

/** Mistral's templates want ids of nine letters or digits. */
const id = 'call00000';

function messagesOf({ initial, turns }: History): AskedMessage[] {
  const said = turns.flatMap(({ command, observation }): AskedMessage[] => {
    const call = readCallText(command);
    if (!call)
      return [
        { role: 'assistant', content: command },
        { role: 'user', content: observation },
      ];
    const { name, arguments: values } = call;
    return [
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id, type: 'function', function: { name, arguments: values } }],
      },
      { role: 'tool', tool_call_id: id, name, content: observation },
    ];
  });
  return [{ role: 'user', content: initial }, ...said];
}
