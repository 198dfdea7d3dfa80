/** An agent that uses the `openai` package: it keeps the conversation, and asks for every word. */
import OpenAI from 'openai';
import { gate, tasks } from './gate.mjs';

export { tasks };

export default async function agent({ baseURL, apiKey, model, task }) {
  const client = new OpenAI({ baseURL, apiKey });
  const { question, say, reward } = gate(task);
  const messages = [
    { role: 'system', content: 'You are brief.' },
    { role: 'user', content: question },
  ];
  for (;;) {
    const { choices } = await client.chat.completions.create({ model, messages });
    const word = choices[0].message.content;
    const reply = say(word);
    if (reply === null) return reward();
    messages.push({ role: 'assistant', content: word }, { role: 'user', content: reply });
  }
}
