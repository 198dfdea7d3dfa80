/** The model card of a merged model. */
import type { AdapterSettings } from '@emac/backbone';
import type { FloatType } from './merged-weights.ts';

export interface MergedFacts {
  /** names of base and adapter */
  readonly base: string;
  readonly adapter: string;
  readonly adapterSettings: AdapterSettings;
  readonly scale: number;
  /** null for the base's own type */
  readonly dtype: FloatType | null;
  /** whether the checkpoint's projection is in the model too */
  readonly projection: boolean;
}

/** Markdown with a model card's front matter. */
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

/** As inline code, whatever the text holds: file names may hold anything. */
function code(text: string): string {
  return `\`${text.replace(/[`\r\n|]/g, ' ')}\``;
}
