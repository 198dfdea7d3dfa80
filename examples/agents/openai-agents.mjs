/** An agent that uses OpenAI Agents (`@openai/agents`): the library runs every turn and keeps the history. */
import { Agent, OpenAIProvider, Runner, setTracingDisabled, user } from '@openai/agents';
import { gate, tasks } from './gate.mjs';

export { tasks };

setTracingDisabled(true);

export default async function agent({ baseURL, apiKey, model, task }) {
  const runner = new Runner({ modelProvider: new OpenAIProvider({ baseURL, apiKey }) });
  const speaker = new Agent({ name: 'Speaker', instructions: 'You are brief.', model });
  const { question, say, reward } = gate(task);
  let history = [user(question)];
  for (;;) {
    const { finalOutput, history: said } = await runner.run(speaker, history);
    const reply = say(finalOutput);
    if (reply === null) return reward();
    history = [...said, user(reply)];
  }
}
