/** An agent that acts by calls of a tool, with the AI SDK (`ai`): the library runs the loop. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, tool, ToolChoiceViolationError } from 'ai';
import { description, dial, parameters, tasks } from './dial.mjs';

export { tasks };

export default async function agent({ baseURL, apiKey, model, task }) {
  const provider = createOpenAICompatible({ name: 'emac', baseURL, apiKey });
  const { question, turn, isDone, reward } = dial(task);
  const acting = generateText({
    model: provider(model),
    prompt: question,
    tools: { turn: tool({ description, inputSchema: jsonSchema(parameters), execute: turn }) },
    toolChoice: 'required',
    stopWhen: isDone,
  });
  // an answer that was cut calls nothing, which the library throws
  await acting.catch((thrown) => {
    if (!ToolChoiceViolationError.isInstance(thrown)) throw thrown;
  });
  return reward();
}
