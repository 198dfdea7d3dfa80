/** `--policy`: one policy or several to evaluate, and the settings of a service that one of them may be. */
import { EmacError } from '@emac/core';
import { policyNamed } from '@emac/opening';
import { languageModelSchema, type LanguageModelConfig } from '@emac/settings';
import { z } from 'zod';
import { configured } from './configured.ts';
import { texts } from './form.ts';
import { formed } from './option.ts';
import { settingsTable } from './settings-table.ts';

const service = languageModelSchema.omit({ model: true, reflectionModel: true, reflectionExamples: true });

/** Flags of requests to a service. */
export const serviceSettings = settingsTable(
  z.strictObject({ expert: z.strictObject({ languageModel: service.prefault({}) }) }),
);

export const policyOption = {
  policy: formed(texts, {
    help: 'policies to compare: runs, checkpoints, models, untouched, random, scripted, a file such as ./mine.js that exports act, openai:MODEL',
    default: null,
  }),
};

/** The requests' settings. Errors: `usage` for any without a policy that is a service. */
export function serviceIn(
  policies: readonly string[],
  values: Readonly<Record<string, unknown>>,
): LanguageModelConfig {
  const typed = Object.keys(serviceSettings).find((flag) => values[flag] !== undefined);
  if (typed !== undefined && !policies.some((name) => policyNamed(name).kind === 'service'))
    throw new EmacError('usage', `--${typed}: belongs to --policy openai:MODEL, which was not given`);
  const { expert } = configured(serviceSettings, values) as {
    readonly expert?: { readonly languageModel: object };
  };
  return languageModelSchema.parse(expert?.languageModel ?? {});
}

/** True if a policy plays without an evaluation of its own: alone it is compared with none. */
export function isPlayer(name: string): boolean {
  return policyNamed(name).kind !== 'trained';
}
