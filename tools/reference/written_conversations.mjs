// Ids and masks of the conversations of a file of check_conversations.py, for each of its templates.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// parts that the package does not export
const built = new URL('../../packages/backbone/dist/', import.meta.url);
const { chatForm } = await import(new URL('families/prompts/chat-template.js', built).href);
const { loadTokenizer } = await import(new URL('files/tokenizer.js', built).href);

const cases = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const results = cases.map(({ tokenizer, templates, defaults, given }) =>
  templates.map((template, which) => {
    const folder = mkdtempSync(join(tmpdir(), 'emac-written-'));
    for (const name of ['tokenizer.json', 'tokenizer_config.json', 'special_tokens_map.json'])
      cpSync(join(tokenizer, name), join(folder, name));
    writeFileSync(join(folder, 'chat_template.jinja'), defaults?.[which] ?? template);
    if (defaults) {
      mkdirSync(join(folder, 'additional_chat_templates'));
      writeFileSync(join(folder, 'additional_chat_templates', 'tool_use.jinja'), template);
    }
    const tokenizerFile = join(folder, 'tokenizer.json');
    const options = { tokenizerFile, tokenizer: loadTokenizer(tokenizerFile), imageToken: null, axes: 1 };
    const { conversation } = chatForm(options);
    rmSync(folder, { recursive: true });
    return given.map(({ messages, tools = null }) => {
      const { tokens, scored } = conversation.written(messages, { from: 0, turns: 'all', tools });
      return { ids: tokens, mask: scored.map(Number) };
    });
  }),
);
process.stdout.write(JSON.stringify(results));
