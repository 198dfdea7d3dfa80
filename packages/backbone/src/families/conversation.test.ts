/** Conversations in every folder's own template, against transformers (tools/reference/write_conversations.py). */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { askedText, quotedTurn, type AskedMessage } from '@emac/core';
import { modelFolder } from '@emac/emma-tiny';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { openModelFiles } from '../files/model-files.ts';
import { loadTokenizer } from '../files/tokenizer.ts';
import { addsUp } from './prompts/adds-up.ts';
import type { Turn } from './prompts/prompt-form.ts';
import { spokenForm } from './spoken-form.ts';

const fixtures = fileURLToPath(new URL('../../fixtures/', import.meta.url));

interface Expected {
  /** ids before the first, second and third answer, −1 for a picture */
  readonly prompts: readonly (readonly number[])[];
  readonly whole: readonly number[];
}

const { said, answer, folders } = JSON.parse(readFileSync(`${fixtures}conversations.json`, 'utf8')) as {
  readonly said: readonly string[];
  readonly answer: string;
  readonly folders: Readonly<Record<string, Expected>>;
};

const opened = (folder: string) => {
  const files = openModelFiles(resolve(fixtures, folder));
  const { tokenizer, beginToken } = files.companions;
  return { files, form: files.family.prompts(files, loadTokenizer(tokenizer, beginToken)) };
};

const idsOf = ({ tokens, before }: Turn): number[] => {
  const ids = [...tokens];
  for (const place of [...before].reverse()) ids.splice(place, 0, -1);
  return ids;
};

/** the published format of the same */
const textOf = (turns: readonly string[]) =>
  `${turns.map((turn, place) => (place === 0 ? turn : place % 2 ? `\n> ${turn}` : `\n${turn}`)).join('')}\n>`;

describe.each(Object.entries(folders))('%s', (folder, { prompts, whole }) => {
  const { files, form } = opened(folder);
  const seen = files.family.vision ? 1 : 0;
  const turns = spokenForm(form, 'turns', files).form;

  it("writes a conversation with transformers' ids, from turns and from the text of a history", () => {
    prompts.forEach((ids, step) => {
      const beginning = said.slice(0, 2 * step + 1);
      expect(idsOf(form.conversation!.turn(beginning, seen))).toEqual(ids);
      expect(idsOf(turns.turn(textOf(beginning), seen))).toEqual(ids);
    });
    expect(idsOf(form.turn(said[0]!, seen))).toEqual(prompts[0]);
    const answered = [...prompts[2]!, ...turns.answer(textOf(said), ` ${answer}`)];
    // LLaVA-Interleave's template writes a blank before an earlier answer that a prompt does not end with
    const written = folder === 'families/llava' ? whole.toSpliced(prompts[2]!.length - 1, 1) : whole;
    expect(written.slice(0, answered.length)).toEqual(answered);
  });

  it('says whether an episode is one growing sequence of tokens', () => {
    const note = 'shares less';
    const { endToken, conversation } = form;
    const asked = spokenForm(form, 'turns', files);
    // Qwen3 begins an answer with an empty thought, and drops it from earlier turns
    const isAdding = folder !== 'text/qwen3';
    if (seen === 0) expect(addsUp(conversation!, { endToken, pictures: 0 })).toBe(isAdding);
    if (seen === 0 && isAdding) expect(asked.note).toBeNull();
    else expect(asked.note).toContain(note);
    if (seen > 0) expect(asked.note).toContain('the picture stands in the last turn alone');
  });
});

it.each(['text/llama', 'text/qwen2'])('%s adds up for any episode, turn by turn', (folder) => {
  const { files, form } = opened(folder);
  const { turn, answer, endToken } = spokenForm(form, 'turns', files).form;
  const seen = fc.string({ unit: fc.constantFrom('>', '\\', '\n', ' ', 'a', 'pen', '1', '.') });
  const command = fc.string({ unit: fc.constantFrom('go', ' ', 'desk', '>', '1', 'é') });
  fc.assert(
    fc.property(seen, fc.array(fc.tuple(command, seen), { maxLength: 4 }), (opening, steps) => {
      let text = quotedTurn(opening);
      for (const [action, observation] of steps.map(([each, next]) => [each.trim(), next] as const)) {
        const before = [...turn(`${text}\n>`, 0).tokens, ...answer(`${text}\n>`, ` ${action}`), endToken];
        text += `\n> ${action}\n${quotedTurn(observation)}`;
        const { tokens } = turn(`${text}\n>`, 0);
        expect(tokens.slice(0, before.length)).toEqual(before);
      }
    }),
    { numRuns: 50 },
  );
});

describe('messages of a request', () => {
  const { files, form } = opened('text/llama');
  const { tokenizer } = files.companions;
  const asked = spokenForm(form, 'messages', files).form;
  const idsFor = (messages: readonly AskedMessage[]) => asked.turn(askedText({ messages }), 0).tokens;

  it('are the turns of a conversation where user and assistant alternate', () => {
    const messages = said.map((content, place) => ({
      role: place % 2 === 0 ? 'user' : 'assistant',
      content,
    }));
    expect(idsFor(messages)).toEqual(form.conversation!.turn(said, 0).tokens);
    expect(asked.answer(askedText({ messages }), answer)).toEqual(form.conversation!.answer(said, answer));
  });

  it('have the roles that the template writes, such as system', () => {
    const text = loadTokenizer(tokenizer, null).decode(
      idsFor([
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'go' },
      ]),
      { special: true },
    );
    const header = (role: string) => `<|start_header_id|>${role}<|end_header_id|>\n\n`;
    expect(
      text.endsWith(
        `${header('system')}Be brief.<|eot_id|>${header('user')}go<|eot_id|>${header('assistant')}`,
      ),
    ).toBe(true);
  });

  it('need a chat template', () => {
    const plain = opened('text/mistral');
    expect(() => spokenForm(plain.form, 'messages', plain.files)).toThrow(
      /^--agent, or an environment with tools: .*text\/mistral has no chat template; .* give a chat model with --policy$/,
    );
  });
});

describe('a model whose prompt is no conversation', () => {
  it.each([
    ['text/mistral', /^--dialogue turns: .*text\/mistral has no chat template; add chat_template\.jinja/],
    ['families/openvla', /^--dialogue turns: .*openvla is an OpenVLA model, whose prompt is no conversation/],
    [modelFolder, /^--dialogue turns: .* is an InstructBLIP model, whose prompt is no conversation/],
  ])('%s is refused turns, with the remedy', (folder, message) => {
    const { files, form } = opened(folder);
    expect(() => spokenForm(form, 'turns', files)).toThrow(message);
    expect(() => spokenForm(form, 'turns', files)).toThrow(/--dialogue message$/);
    expect(spokenForm(form, 'message', files)).toEqual({ form, note: null });
  });
});
