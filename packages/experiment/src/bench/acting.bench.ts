/**
 * A step of an ALFWorld episode with a memory of prompts and without (`--context-memory`), in turns in one process. The history is that of
 * random admissible commands. Each number is the mean of three steps around the named one, since some steps read one piece more. `reading`
 * is an answer of one token: the prompt alone. Build, then run `node packages/experiment/dist/bench/acting.bench.js --model emma-tiny`.
 */
import { parseArgs } from 'node:util';
import { openAgent, type Agent } from '../agent.ts';
import { randomStates } from './random-episode.bench.ts';

const { values } = parseArgs({
  options: {
    model: { type: 'string', default: 'emma-tiny' },
    steps: { type: 'string', default: '5,15,30' },
    'answer-tokens': { type: 'string', default: '8' },
    'prompt-tokens': { type: 'string', default: '1024' },
    'context-memory': { type: 'string', default: '2048' },
  },
});

async function opened(beams: number, maxLength: number, contextMemory: number): Promise<Agent> {
  return openAgent(values.model, {
    model: { contextMemory },
    speech: { beams, maxLength, observe: 'text', maxPromptTokens: Number(values['prompt-tokens']) },
  });
}

const milliseconds = (mean: number) => mean.toFixed(mean < 100 ? 1 : 0).padStart(9);

for (const [name, beams, answer] of [
  ['reading', 1, 1],
  ['greedy', 1, Number(values['answer-tokens'])],
  ['5 beams', 5, Number(values['answer-tokens'])],
] as const) {
  const agents = [
    await opened(beams, answer, 0),
    await opened(beams, answer, Number(values['context-memory'])),
  ];
  const steps = values.steps.split(',').map(Number);
  const states = await randomStates(agents[0]!, Math.max(...steps) + 2);
  for (const step of steps) {
    const times = [0, 0];
    let [equal, tokens] = [0, 0];
    for (let each = step - 3; each <= step + 1; each++) {
      const { observation, history } = states[each]!;
      const said: string[] = [];
      for (const [side, agent] of agents.entries()) {
        const start = performance.now();
        said.push(await agent.act(observation, history));
        if (each >= step - 1) times[side]! += (performance.now() - start) / 3;
      }
      equal += said[0] === said[1] ? 1 : 0;
      if (each === step) {
        const { prompt } = await agents[0]!.question({ ...observation, history });
        const text = prompt.flatMap((part) => ('text' in part ? [part.text] : [])).join('');
        tokens = agents[0]!.student.countPromptTokens(text);
      }
    }
    const [whole, kept] = times as [number, number];
    console.log(
      `${name.padEnd(8)} step ${String(step).padStart(2)} (${tokens} tokens)${milliseconds(whole)} ms whole,${milliseconds(kept)} ms with memory, ${(whole / kept).toFixed(1)} times as fast, ${equal} of 5 commands equal`,
    );
  }
  for (const agent of agents) await agent.dispose();
}
