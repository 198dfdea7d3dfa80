/** An agent that acts by calls of a tool, with the `openai` package: it turns a dial until the safe opens. */
import OpenAI from 'openai';

export const tasks = { training: ['red', 'green', 'blue', 'grey'], heldOut: ['black', 'white'] };

const tools = [
  {
    type: 'function',
    function: {
      name: 'turn',
      description: 'Turns the dial.',
      parameters: { type: 'object', properties: { to: { enum: ['left', 'right'] } }, required: ['to'] },
    },
  },
];

const turns = 2;

export default async function agent({ baseURL, apiKey, model, task }) {
  const client = new OpenAI({ baseURL, apiKey });
  const messages = [{ role: 'user', content: `Open the ${task} safe.` }];
  let clicks = 0;
  for (let turn = 0; turn < turns; turn++) {
    const { choices } = await client.chat.completions.create({
      model,
      messages,
      tools,
      tool_choice: 'required',
    });
    const { message } = choices[0];
    const [call] = message.tool_calls ?? [];
    // an answer that was cut calls nothing
    if (!call) break;
    const { to } = JSON.parse(call.function.arguments);
    if (to === 'right') clicks++;
    const content = to === 'right' ? 'A click.' : 'Nothing moves.';
    messages.push(message, { role: 'tool', tool_call_id: call.id, content });
  }
  return clicks / turns;
}
