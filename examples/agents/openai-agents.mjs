/** An agent that uses OpenAI Agents (`@openai/agents`): the library runs every turn and keeps the history. */
import { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled, user } from '@openai/agents';
import OpenAI from 'openai';
import { gate, tasks } from './gate.mjs';

export { tasks };

setTracingDisabled(true);

export default async function agent({ baseURL, apiKey, model, task }) {
  const client = new OpenAI({ baseURL, apiKey });
  const speaker = new Agent({
    name: 'Speaker',
    instructions: 'You are brief.',
    model: new OpenAIChatCompletionsModel(client, model),
  });
  const { question, say, reward } = gate(task);
  let history = [user(question)];
  for (;;) {
    const { finalOutput, history: said } = await run(speaker, history);
    const reply = say(finalOutput);
    if (reply === null) return reward();
    history = [...said, user(reply)];
  }
}
