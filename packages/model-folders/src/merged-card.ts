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
    'everything else, including the tokenizers, comes from the base, or from the adapter if it brought its own files. The licence and the',
    'limits of the base model apply.',
    '',
    `- base model: ${code(base)}`,
    `- adapter: ${code(adapter)}, rank ${rank}, α ${alpha}, on ${targets.join(', ')}`,
    `- projection between vision encoder and language model: ${projection ? 'trained with the adapter' : 'from the base'}`,
    '- list of the merged tensors: `merge_metadata.json`',
  ].join('\n')}\n`;
}

/** As inline code, whatever the text holds: file names may hold anything. */
function code(text: string): string {
  return `\`${text.replace(/[`\r\n|]/g, ' ')}\``;
}
