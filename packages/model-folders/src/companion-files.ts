/** Files that a model needs beside its weights: those of tokenizers and processors, and action settings. */
import { statisticsFile } from '@emac/opening';
import { contents, type Content } from './model-folder.ts';

const spoken =
  /^((\w+_)?tokenizer\/)?(added_tokens|special_tokens_map|tokenizer_config|tokenizer|preprocessor_config|processor_config|video_preprocessor_config|chat_template|vocab|merges)\.(json|jinja|txt|model)$/;

/** The companion files of a model folder or adapter folder, including folders of further tokenizers. */
export function companionsIn(folder: string): Content[] {
  return contents(folder).filter(({ name }) => name === statisticsFile || spoken.test(name));
}
