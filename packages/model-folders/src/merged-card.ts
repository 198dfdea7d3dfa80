/** The page that explains a merged model. */
import type { AdapterSettings } from '@emac/backbone';
import type { FloatType } from './merged-weights.ts';

export interface MergedFacts {
  /** names of what was merged */
  readonly base: string;
  readonly adapter: string;
  readonly adapterSettings: AdapterSettings;
  readonly scale: number;
  /** null for the type in which the base stores them */
  readonly dtype: FloatType | null;
  /** the projection of a checkpoint is in the model too */
  readonly projection: boolean;
}

/** Markdown with the front matter that model pages have. */
export function mergedCard({
  base,
  adapter,
  adapterSettings,
  scale,
  dtype,
  projection,
}: MergedFacts): string {
  const { rank, alpha, targets } = adapterSettings;
  return `${[
    '---',
    'library_name: transformers',
    'tags: [emac, lora, merged]',
    '---',
    '',
    '# A model with an adapter merged by EMAC',
    '',
    `Weights are W + s·B·A with s = ${scale}, summed once and rounded to ${dtype ?? 'the type in which the base stores them'};`,
    'everything else, the tokenizers too, is that of the base, or of the adapter where it came with files of its own. The licence and the',
    'limits of the base model hold here too.',
    '',
    `- base model: ${code(base)}`,
    `- adapter: ${code(adapter)}, rank ${rank}, α ${alpha}, on ${targets.join(', ')}`,
    `- the projection between eye and language model is ${projection ? 'that which was trained with the adapter' : 'that of the base'}`,
    '- what was merged, tensor by tensor: `merge_metadata.json`',
  ].join('\n')}\n`;
}

/** As code, whatever is in it: names of files may hold anything. */
function code(text: string): string {
  return `\`${text.replace(/[`\r\n|]/g, ' ')}\``;
}
