/** An agent that uses the AI SDK (`ai`), and streams its answers. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { streamText } from 'ai';
import { gate, tasks } from './gate.mjs';

export { tasks };

export default async function agent({ baseURL, apiKey, model, task }) {
  const provider = createOpenAICompatible({ name: 'emac', baseURL, apiKey });
  const { question, say, reward } = gate(task);
  const messages = [{ role: 'user', content: question }];
  for (;;) {
    const { textStream } = streamText({ model: provider(model), system: 'You are brief.', messages });
    let word = '';
    for await (const piece of textStream) word += piece;
    const reply = say(word);
    if (reply === null) return reward();
    messages.push({ role: 'assistant', content: word }, { role: 'user', content: reply });
  }
}
