/** Whole conversations with their targets, against transformers (tools/reference/check_conversations.py), and by hand. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it, onTestFinished } from 'vitest';

import { loadTokenizer } from '../../files/tokenizer.ts';
import { chatForm } from './chat-template.ts';
import { writtenText, type SpokenMessage, type Writing, type Written } from './written.ts';

const fixtures = fileURLToPath(new URL('../../../fixtures/', import.meta.url));

interface Case {
  readonly name: string;
  readonly tokenizer: string;
  /** with generation marks, and without */
  readonly templates: readonly string[];
  /** beside those, the ones for conversations without tools */
  readonly defaults?: readonly string[];
  readonly given: readonly {
    readonly messages: readonly SpokenMessage[];
    readonly tools?: readonly unknown[];
  }[];
  readonly right: readonly { readonly ids: readonly number[]; readonly mask: readonly number[] }[];
}

const cases = JSON.parse(readFileSync(`${fixtures}written.json`, 'utf8')) as readonly Case[];

function opened(name: string, template: string, withTools: string | null = null) {
  const folder = mkdtempSync(join(tmpdir(), 'emac-written-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const file of ['tokenizer.json', 'tokenizer_config.json', 'special_tokens_map.json'])
    cpSync(join(fixtures, 'text', name, file), join(folder, file));
  writeFileSync(join(folder, 'chat_template.jinja'), template);
  const others = join(folder, 'additional_chat_templates');
  if (withTools !== null) mkdirSync(others);
  if (withTools !== null) writeFileSync(join(others, 'tool_use.jinja'), withTools);
  const tokenizerFile = join(folder, 'tokenizer.json');
  const tokenizer = loadTokenizer(tokenizerFile);
  const { conversation } = chatForm({ tokenizerFile, tokenizer, imageToken: null, axes: 1 });
  /** the texts of the pieces that are targets */
  const targets = ({ tokens, scored }: Written) =>
    tokens
      .map((id, place) => (scored[place] ? tokenizer.decode([id], { special: true }) : '\0'))
      .join('')
      .split(/\0+/)
      .filter((piece) => piece !== '');
  return { written: conversation!.written, asked: conversation!.asked, tokenizer, targets };
}

const all: Writing = { from: 0, turns: 'all', tools: null };

describe.each(cases)(
  'a template in the shape of $name',
  ({ tokenizer, templates, defaults, given, right }) => {
    it.each([
      ['with generation marks', 0],
      ['without', 1],
    ] as const)("has transformers' ids and mask, %s", (_, which) => {
      const template = templates[which]!;
      const { written } = defaults
        ? opened(tokenizer, defaults[which]!, template)
        : opened(tokenizer, template);
      given.forEach(({ messages, tools = null }, place) => {
        const { tokens, scored } = written(messages, { ...all, tools });
        expect({ ids: tokens, mask: scored.map(Number) }).toEqual(right[place]);
      });
    });
  },
);

const said: readonly SpokenMessage[] = [
  { role: 'user', content: 'go?' },
  { role: 'assistant', content: 'to desk 1' },
  { role: 'user', content: 'sure?' },
  { role: 'assistant', content: 'ok' },
];

/** Qwen3's way: the last turn alone has an empty thought, and a prompt begins it. */
const thinking =
  "{% for message in messages %}{{ '<|im_start|>' + message.role + '\\n' }}" +
  "{% if message.role == 'assistant' and loop.last %}{{ '<think>\\n\\n</think>\\n\\n' }}{% endif %}" +
  "{{ message.content + '<|im_end|>\\n' }}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n<think>\\n\\n</think>\\n\\n' }}{% endif %}";

describe('targets', () => {
  it('begin after a thought that only the last turn has', () => {
    const { written, targets } = opened('qwen2', thinking);
    expect(targets(written(said, all))).toEqual(['to desk 1<|im_end|>', 'ok<|im_end|>']);
  });

  it('are the last turn alone, or those after the prompt', () => {
    const { written, targets } = opened('qwen2', cases[0]!.templates[1]!);
    expect(targets(written(said, { ...all, turns: 'last' }))).toEqual(['ok<|im_end|>']);
    expect(targets(written(said, { ...all, from: 3 }))).toEqual(['ok<|im_end|>']);
    expect(targets(written(said, { ...all, from: 1 }))).toEqual(['to desk 1<|im_end|>', 'ok<|im_end|>']);
  });

  it('cannot be found where a template rewrites a turn, which is said', () => {
    const shouting = `{% for message in messages %}{{ '<|im_start|>' + message.role + '\\n' + message.content + (' (of 3)' if messages | length > 2 and message.role == 'user' else '') + '<|im_end|>' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}`;
    const { written } = opened('qwen2', shouting);
    expect(() => written(said, all)).toThrow(/writes message 1 of a conversation in another way .*mark it/);
  });
});

it('a picture in a message is refused by a model that reads texts alone', () => {
  const { written } = opened('qwen2', thinking);
  const [asked, ...others] = said;
  const parts = [{ type: 'text', text: 'go?' }];
  const among = (content: NonNullable<SpokenMessage['content']>) => [{ ...asked!, content }, ...others];
  expect(written(among(parts), all)).toEqual(written(said, all));
  expect(() => written(among([{ type: 'image' }, ...parts]), all)).toThrow(
    /reads texts alone, and a message holds a part \{"type": "image"\}; leave it out/,
  );
});

const plain = `{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' + m.content + '<|im_end|>\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}`;

it.each<[string, unknown]>([
  ['an object', { b: 1, a: 2 }],
  ['a text of JSON', '{"b": 1, "a": 2}'],
])('tools that a template does not read are words, as when the model acts; arguments are %s', (_, values) => {
  const { written, asked, targets, tokenizer } = opened('qwen2', plain);
  const tools = [
    { type: 'function', function: { name: 'add', description: 'Adds.', parameters: { type: 'object' } } },
  ] as const;
  const call = { type: 'function', function: { name: 'add', arguments: values } };
  const messages = [
    { role: 'user', content: 'Add.' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call00000', name: 'add', content: '3' },
    { role: 'assistant', content: 'It is 3.' },
  ];
  const learned = written(messages, { ...all, tools });
  // the names in arguments sorted, as in a call that the policy makes
  expect(targets(learned)).toEqual([
    '{"name":"add","arguments":{"a":2,"b":1}}<|im_end|>',
    'It is 3.<|im_end|>',
  ]);
  const { tokens } = asked({ messages: [{ role: 'user', content: 'Add.' }], tools: [...tools] }, 0);
  expect(learned.tokens.slice(0, tokens.length)).toEqual(tokens);
  expect(tokenizer.decode(tokens)).toContain('"description":"Adds."');
});

it('tools that a template does not read are refused beside pictures', () => {
  const { written } = opened('qwen2', plain);
  const content = [{ type: 'image' }, { type: 'text', text: 'go?' }];
  expect(() => written([{ role: 'user', content }], { ...all, tools: [{ name: 'add' }] })).toThrow(
    /does not read tools, and beside pictures/,
  );
});

describe('a recorded call', () => {
  const calling = (values: unknown): readonly SpokenMessage[] => [
    said[0]!,
    { role: 'assistant', tool_calls: [{ type: 'function', function: { name: 'add', arguments: values } }] },
  ];
  const inTemplate = (values: string) =>
    `{% for m in messages %}{{ '<|im_start|>' + m.role + '\\n' }}{{ m.content or '' }}{% for c in m.tool_calls or [] %}{{ c.function.name }}${values}{% endfor %}{{ '<|im_end|>\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}`;
  const quoting = inTemplate('{{ c.function.arguments | tojson }}');
  const standing = inTemplate('{{ c.function.arguments }}');

  it.each([
    ['an object', quoting, { a: 1 }, 'add{"a": 1}<|im_end|>'],
    // transformers' filter writes the text as a string: add"{\"a\": 1}"
    ['a text of JSON, which becomes an object', quoting, '{"a":1}', 'add{"a": 1}<|im_end|>'],
    ['a text that the template writes as it stands', standing, '{"a":1}', 'add{"a":1}<|im_end|>'],
    ['a text of no JSON', quoting, 'a', 'add"a"<|im_end|>'],
  ])('is a target with its arguments as %s', (_, template, values, target) => {
    const { written, targets } = opened('qwen2', template);
    expect(targets(written(calling(values), all))).toEqual([target]);
  });

  it('is refused by a template that reads tools and would leave it out', () => {
    const { written } = opened('qwen2', `{% if tools %}{{ tools | tojson }}{% endif %}${thinking}`);
    expect(() => written(calling({ a: 1 }), all)).toThrow(
      /does not write calls of tools, and message 1 has tool_calls/,
    );
  });
});

describe('a text without a template', () => {
  const { tokenizer } = (() => {
    const place = join(fixtures, 'text', 'llama', 'tokenizer.json');
    return { tokenizer: loadTokenizer(place) };
  })();
  const endToken = tokenizer.endToken!;
  const ids = (text: string) => tokenizer.encode(text);

  it('is all target but the begin token, with the end token behind it', () => {
    const { tokens, scored } = writtenText({ before: '', after: 'go to desk' }, { tokenizer, endToken });
    expect(tokens).toEqual([tokenizer.beginToken, ...ids('go to desk'), endToken]);
    expect(scored).toEqual([false, ...ids('go to desk').map(() => true), true]);
  });

  it('has a target after its prompt', () => {
    const { tokens, scored } = writtenText({ before: 'go to', after: ' desk' }, { tokenizer, endToken });
    expect(tokens).toEqual([tokenizer.beginToken, ...ids('go to desk'), endToken]);
    expect(tokens.filter((_, place) => scored[place])).toEqual([...ids(' desk'), endToken]);
  });
});
