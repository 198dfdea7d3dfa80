/** A chat model of random weights whose template has tools and calls. */
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Qwen2.5's shape, in our words */
const template = `{%- for tool in tools or [] %}{{ tool.function.name + ' ' + tool.function.description + '\\n' }}{% endfor %}{%- for m in messages %}{{ '<|im_start|>' + m.role + '\\n' + m.content }}{%- for c in m.tool_calls or [] %}{{ '<tool_call>\\n{"name": "' + c.function.name + '", "arguments": ' + c.function.arguments | tojson + '}\\n</tool_call>' }}{% endfor %}{{ '<|im_end|>\\n' }}{%- endfor %}{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{%- endif %}`;

/** Writes its folder; returns the path. */
export function chatModelWithTools(within: string): string {
  const folder = join(within, 'chat');
  cpSync(fileURLToPath(new URL('../../backbone/fixtures/text/qwen2', import.meta.url)), folder, {
    recursive: true,
  });
  writeFileSync(join(folder, 'chat_template.jinja'), template);
  return folder;
}
