/**
 * Opens the source of labels and reflections: the hand-coded expert, the planner or a custom expert with scripted
 * lessons, or a language model for both. The openai package is loaded only for the latter. A key in the environment
 * alone changes nothing.
 */
import { EmacError, type Expert, type OpenedKind, type Random } from '@emac/core';
import { scriptedReflection } from '@emac/reflexion';
import { expertSchema, languageModelSchema, type ExpertConfig } from '@emac/settings';
import { noisyExpert, thinkingExpert } from '@emac/world';
import { playerOf } from '../environments/kind-environment.ts';
import type { Host } from '../host.ts';
import { guardedExpert, type GivenExpert } from './expert-module.ts';
import { noReplies } from './reply-use.ts';
import { personTeacher } from './person-teacher.ts';
import type { Teacher } from './teacher.ts';

export interface TeacherParts {
  /** of waiting times between attempts, and of noise */
  readonly random: Random;
  /** whose players label */
  readonly kind: OpenedKind;
}

/** The teacher that a configuration names. Errors: `usage`, `auth` without key and address. */
export async function openTeacher(
  config: ExpertConfig,
  host: Pick<Host, 'env' | 'now' | 'expert' | 'person' | 'signal' | 'trial'>,
  { random, kind }: TeacherParts,
): Promise<Teacher> {
  const given = givenExpert(config, host);
  if (config.kind === 'openai') {
    if (config.noise !== 0)
      throw new EmacError('usage', '--expert-noise: belongs to scripted experts, not to --expert openai');
    const { openaiTeacher } = await import('./openai-teacher.ts');
    return openaiTeacher(config, host, random);
  }
  refuseLanguageModel(config);
  if (config.kind === 'human') return personTeacher(host, kind);
  const own = config.kind === 'planner' && kind.planner ? kind.planner : null;
  const scripted = given ? guardedExpert(given) : (own ?? playerOf(kind));
  const expert = withNoise(scripted, config.noise, random.stream('noise'));
  return {
    // in other environments thoughts are part of an answer, and lessons are not read
    expert: config.thoughts && kind.isReAct ? thinkingExpert(expert) : expert,
    reflect: async ({ history, expertCommands }) =>
      kind.isReAct ? scriptedReflection({ history, expertCommands }) : null,
    ...(given && { code: given.sha256 }),
    isPaid: given !== null,
    promptTokens: null,
    notes: [],
    listen: () => {},
    keepReplies: () => {},
    made: () => {},
    position: () => noReplies,
    dispose: () => {},
  };
}

/**
 * Code is given beside a configuration, never loaded from its settings. Errors: `usage` if only one of the two is
 * present.
 */
function givenExpert({ kind, module }: ExpertConfig, { expert }: Pick<Host, 'expert'>): GivenExpert | null {
  if (kind === 'module' && !expert) {
    const path = module ?? 'FILE';
    throw new EmacError(
      'usage',
      `expert.module ${path}: is code, which runs only if the command line names it; add --expert ${path}`,
    );
  }
  if (kind !== 'module' && expert)
    throw new EmacError('usage', `--expert ${expert.name}: was given, but the configuration says ${kind}`);
  return expert ?? null;
}

function refuseLanguageModel({ kind, languageModel }: ExpertConfig): void {
  const defaults = languageModelSchema.parse({});
  for (const [name, value] of Object.entries(languageModel))
    if (value !== defaults[name as keyof typeof defaults])
      throw new EmacError('usage', `expert.languageModel.${name}: belongs to the expert openai, got ${kind}`);
}

function withNoise(expert: Expert, probability: number, random: Random): Expert {
  return probability === 0 ? expert : noisyExpert(expert, { probability, random });
}

/** as a report calls it */
export const freeTeacherName = 'a scripted expert in place of the one that costs money';

/** In a trial, a scripted expert in place of one that costs money, or may. */
export async function freeTeacher(
  teacher: Teacher,
  { env, now, trial }: Pick<Host, 'env' | 'now' | 'trial'>,
  { thoughts, ...parts }: TeacherParts & { readonly thoughts: boolean },
): Promise<Teacher> {
  if (!trial || !teacher.isPaid) return teacher;
  const free = await openTeacher(expertSchema.parse({ kind: 'handcoded', thoughts }), { env, now }, parts);
  return {
    ...free,
    expert: {
      label(request) {
        trial.requested(request);
        return free.expert.label(request);
      },
    },
  };
}
