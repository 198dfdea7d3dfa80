/** Files that make weights a model that can be spoken with: those of tokenizers and processors, and what actions mean. */
import { statisticsFile } from '@emac/opening';
import { contents, type Content } from './model-folder.ts';

const spoken =
  /^((\w+_)?tokenizer\/)?(added_tokens|special_tokens_map|tokenizer_config|tokenizer|preprocessor_config|processor_config|video_preprocessor_config|chat_template|vocab|merges)\.(json|jinja|txt|model)$/;

/** Those of a model folder or beside an adapter, with folders of further tokenizers. */
export function companionsIn(folder: string): Content[] {
  return contents(folder).filter(({ name }) => name === statisticsFile || spoken.test(name));
}
