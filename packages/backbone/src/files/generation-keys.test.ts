/**
 * Every key of `generation_config.json` that transformers knows (4.57.1, `tools/reference/write_generation_keys.py`, and the names of 5.24.0's),
 * changed one at a time: answers change as there, or the key is refused by its name, or a caller's setting stands for it.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { EmacError } from '@emac/core';
import { afterAll, expect, it } from 'vitest';

import { loadBackbone } from '../backbone.ts';
import { readGenerationConfig, type GenerationConfig } from './generation-config.ts';
import { readJsonObject, type JsonObject } from './json-object.ts';

type Mode = 'greedy' | 'beams';
type Answers = Readonly<Partial<Record<Mode, readonly (readonly number[])[]>>>;

interface Case {
  readonly value: unknown;
  /** what differs from the base; missing: nothing, null: transformers fails */
  readonly result?: Answers | null;
  /** whether answers that are drawn differ */
  readonly drawn?: boolean;
}

const at = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const {
  new_tokens: maxNewTokens,
  prompts,
  base,
  keys,
  later,
} = readJsonObject(at('fixtures/generation-keys.json')) as unknown as {
  readonly new_tokens: number;
  readonly prompts: readonly (readonly number[])[];
  readonly base: Required<Answers>;
  readonly keys: Readonly<Record<string, readonly Case[]>>;
  readonly later: readonly string[];
};

const folder = at('fixtures/text/llama');
const usual = readJsonObject(join(folder, 'generation_config.json'));
const backbone = loadBackbone(folder, { provider: 'cpu' });
const place = mkdtempSync(join(tmpdir(), 'emac-generation-keys-'));
afterAll(async () => {
  await backbone.dispose();
  rmSync(place, { recursive: true });
});

function readAs(object: JsonObject): GenerationConfig | EmacError {
  const file = join(place, 'generation_config.json');
  writeFileSync(file, JSON.stringify(object));
  try {
    return readGenerationConfig(file);
  } catch (thrown) {
    if (thrown instanceof EmacError) return thrown;
    throw thrown;
  }
}

async function answers({ endTokens, biases }: GenerationConfig): Promise<Required<Answers>> {
  const said = async (beams: number) => {
    const options = { beams, endTokens, biases, maxNewTokens };
    const found = await backbone.generateBatch(prompts.map((tokens) => ({ prompt: { tokens }, options })));
    return found.map(({ tokens }) => tokens);
  };
  return { greedy: await said(1), beams: await said(3) };
}

/** Keys whose methods draw in another order, from the same distribution: a second model guesses ahead. */
const guessing = ['prompt_lookup_num_tokens', 'assistant_early_exit'];

type Outcome = 'read' | 'refused' | 'overruled' | 'idle';

/** Errors: an expectation that failed. */
async function outcomeOf(key: string, { value, result, drawn }: Case): Promise<Outcome> {
  const found = readAs({ ...usual, [key]: value });
  const name = `${key} ${JSON.stringify(value)}`;
  if (found instanceof EmacError) {
    expect(found.message, name).toContain(key);
    return 'refused';
  }
  if (key in found.overruled) return 'overruled';
  const { endTokens, biases } = backbone.generationConfig;
  const isRead = JSON.stringify([found.endTokens, found.biases]) !== JSON.stringify([endTokens, biases]);
  if (isRead) expect.soft(await answers(found), name).toEqual({ ...base, ...result });
  else expect.soft([result ?? null, guessing.includes(key) || drawn !== true], name).toEqual([null, true]);
  return isRead ? 'read' : 'idle';
}

it('no key of generation_config.json changes answers in silence', async () => {
  expect(await answers(backbone.generationConfig)).toEqual(base);
  const outcomes: Outcome[] = [];
  for (const [key, cases] of Object.entries(keys)) {
    const all: Outcome[] = [];
    for (const each of cases) all.push(await outcomeOf(key, each));
    expect(new Set(all).size, key).toBe(1);
    outcomes.push(all[0]!);
  }
  const count = (wanted: Outcome) => outcomes.filter((each) => each === wanted).length;
  const row = /^\| `generation_config.json` \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$/m;
  const counts = row
    .exec(readFileSync(at('README.md'), 'utf8'))
    ?.slice(1)
    .map(Number);
  expect(counts).toEqual([count('read'), count('refused'), count('overruled'), count('idle')]);
});

it('keys of later versions set how text is drawn or computed', () => {
  const heard = later.filter((key) => key in (readAs({ ...usual, [key]: 1 }) as GenerationConfig).overruled);
  expect(heard).toEqual(['top_h']);
});

it('names a key of the wrong kind', () => {
  const message = (object: JsonObject) => (readAs(object) as EmacError).message;
  expect(message({ eos_token_id: [2, 'end'] })).toMatch(/eos_token_id: 1 must be a token id .*, got "end"/);
  expect(message({ bad_words_ids: [[7, 'x']] })).toMatch(
    /bad_words_ids: 0: 1 must be a token id .*, got "x"/,
  );
  expect(message({ sequence_bias: { '7': 2 } })).toMatch(
    /sequence_bias must be a list of lists of ids with a bias each/,
  );
  expect(message({ stop_strings: ['\n'] })).toMatch(
    /stop_strings is a rule of generation that is not supported, and must be null; remove it/,
  );
});
