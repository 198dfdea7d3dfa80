/** An agent that acts by calls of a tool, with OpenAI Agents (`@openai/agents`): the library runs the loop. */
import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents';
import { description, dial, parameters, tasks } from './dial.mjs';

export { tasks };

setTracingDisabled(true);

export default async function agent({ baseURL, apiKey, model, task }) {
  const runner = new Runner({ modelProvider: new OpenAIProvider({ baseURL, apiKey }) });
  const { question, turn, isDone, reward } = dial(task);
  const opener = new Agent({
    name: 'Opener',
    model,
    tools: [tool({ name: 'turn', description, parameters, execute: turn })],
    modelSettings: { toolChoice: 'required' },
    // after a call it would leave the choice to the model
    resetToolChoice: false,
    toolUseBehavior: () => (isDone() ? { isFinalOutput: true, finalOutput: '' } : { isFinalOutput: false }),
  });
  await runner.run(opener, question);
  return reward();
}
