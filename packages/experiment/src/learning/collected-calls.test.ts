/** Collected calls of tools, from which a chat model of random weights learns two steps of an environment. */
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { collectEnvironment } from '@emac/datasets';
import { inlineEnvironment, plainHost } from '@emac/opening';
import { expect, it } from 'vitest';
import { evaluatePolicy } from '../evaluation/evaluate-policy.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { train } from '../training/train.ts';

const folder = temporaryFolder();

const environment = inlineEnvironment({
  name: 'note',
  tasks: { training: ['a'], heldOut: ['b'] },
  maxSteps: 2,
  begin: () => ({ observation: 'Enter the code.' }),
  tools: {
    read: { description: 'Reads a note.', parameters: { type: 'object' }, run: () => 'It is 2.' },
    enter: {
      description: 'Enters a code.',
      parameters: { type: 'object', properties: { code: { enum: [1, 2] } }, required: ['code'] },
      run: ({ code }: { code: number }) => ({ observation: 'Entered.', reward: code - 1, done: true }),
    },
  },
  expert: (_, { turns }) =>
    turns.length === 0 ? { name: 'read', arguments: {} } : { name: 'enter', arguments: { code: 2 } },
});
const host = { ...plainHost(), environment };
const env = environment.kind.ids[0]!;

/** LLaMA 3's turns, and calls in the form of Qwen. */
const template = `{{ bos_token }}{% for tool in tools or [] %}{{ tool.function.name }}: {{ tool.function.description }} {% endfor %}{% for message in messages %}{{ '<|start_header_id|>' + message.role + '<|end_header_id|>' + message.content }}{% for call in message.tool_calls or [] %}{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}{% endfor %}<|eot_id|>{% endfor %}{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>' }}{% endif %}`;
const policy = join(folder, 'model');
cpSync(fileURLToPath(new URL('../../../backbone/fixtures/text/llama', import.meta.url)), policy, {
  recursive: true,
});
writeFileSync(join(policy, 'chat_template.jinja'), template);

it('lead from no call to success', async () => {
  const out = join(folder, 'calls');
  const asked = { env, out, samples: 2, validation: 0 };
  await expect(collectEnvironment(asked, host)).rejects.toThrow(
    '--form: published records hold texts, and inline/note is answered with calls of tools; give --form messages or --form prompt-completion',
  );
  const { dataset } = await collectEnvironment({ ...asked, form: 'messages' }, host);
  const after = async (updates: number, learningRate: number) => {
    const { folder: ckpt } = await train({
      phase: 'bc',
      policy,
      trained: { parts: 'lora', rank: 8 },
      dataset: { data: dataset, epochs: updates },
      optimization: { learningRate, batchSize: 2, accumulate: 1 },
      speech: { maxPromptTokens: 384, maxLength: 64 },
      evaluation: { episodes: 0 },
      out: join(folder, `${updates} updates`),
    });
    return (await evaluatePolicy({ env, ckpt, numGames: 1 }, host)).result;
  };
  expect(await after(1, 1e-9)).toMatchObject({ success: 0 });
  expect(await after(60, 0.03)).toMatchObject({ success: 1 });
});
