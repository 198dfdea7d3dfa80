/** An agent that acts by calls of a tool, with the `openai` package. */
import OpenAI from 'openai';
import { description, dial, parameters, tasks } from './dial.mjs';

export { tasks };

const tools = [{ type: 'function', function: { name: 'turn', description, parameters } }];

export default async function agent({ baseURL, apiKey, model, task }) {
  const client = new OpenAI({ baseURL, apiKey });
  const { question, turn, isDone, reward } = dial(task);
  const messages = [{ role: 'user', content: question }];
  while (!isDone()) {
    const asked = { model, messages, tools, tool_choice: 'required' };
    const { choices } = await client.chat.completions.create(asked);
    const { message } = choices[0];
    const [call] = message.tool_calls ?? [];
    // an answer that was cut calls nothing
    if (!call) break;
    const content = turn(JSON.parse(call.function.arguments));
    messages.push(message, { role: 'tool', tool_call_id: call.id, content });
  }
  return reward();
}
