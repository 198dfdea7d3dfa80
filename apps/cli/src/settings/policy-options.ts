/** `--policy`: one policy or several to evaluate, and the settings of a service that one of them may be. */
import { EmacError } from '@emac/core';
import { policyNamed, serviceMessages, type ServiceMessages } from '@emac/opening';
import { languageModelSchema, type LanguageModelConfig } from '@emac/settings';
import { z } from 'zod';
import { configured } from '../options/configured.ts';
import { texts } from '../options/form.ts';
import { choice, formed } from '../options/option.ts';
import { settingsTable } from '../options/settings-table.ts';

const service = languageModelSchema.omit({ model: true, reflectionModel: true, reflectionExamples: true });

const serviceSettings = settingsTable(
  z.strictObject({ expert: z.strictObject({ languageModel: service.prefault({}) }) }),
);

/** Flags that mean something only to a service. */
export const serviceOptions = {
  ...serviceSettings,
  messages: choice<ServiceMessages, null>(serviceMessages, {
    help: 'openai:MODEL gets a prompt for language models, the bare episode for an agent of emac serve, or the prompt and a tool to call (tools)',
    default: null,
    defaultText: 'prompt',
  }),
};

export const policyOption = {
  policy: formed(texts, {
    help: 'policies to compare: runs, checkpoints, models, untouched, random, scripted, human (you type), a file such as ./mine.js that exports act, openai:MODEL, the address of emac serve',
    default: null,
  }),
};

export interface ServiceAsked {
  readonly languageModel: LanguageModelConfig;
  readonly messages: ServiceMessages;
}

/** The requests' settings. Errors: `usage` for any without a policy that is a service. */
export function serviceIn(
  policies: readonly string[],
  values: Readonly<Record<string, unknown>>,
): ServiceAsked {
  const typed = Object.keys(serviceOptions).find((flag) => values[flag] != null);
  if (typed !== undefined && !policies.some((name) => policyNamed(name).kind === 'service'))
    throw new EmacError('usage', `--${typed}: belongs to --policy openai:MODEL, which was not given`);
  const { expert } = configured(serviceSettings, values) as {
    readonly expert?: { readonly languageModel: object };
  };
  return {
    languageModel: languageModelSchema.parse(expert?.languageModel ?? {}),
    messages: serviceMessages.find((each) => each === values['messages']) ?? 'prompt',
  };
}

/** True if a policy plays without an evaluation of its own: alone it is compared with none. */
export function isPlayer(name: string): boolean {
  return policyNamed(name).kind !== 'trained';
}
