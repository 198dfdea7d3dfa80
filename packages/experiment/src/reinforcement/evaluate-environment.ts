/** A trained policy, or an untouched one, on held-out episodes of an environment, as a program calls it. */
import { EmacError, Random, type Frame } from '@emac/core';
import type { EpisodeWatcher, StepTexts } from '@emac/rollout';
import { isModelPolicy, ppoConfig, type PpoConfig } from '../config/ppo-config.ts';
import { timesOf, type Host } from '../host.ts';
import { plainHost } from '../training/train.ts';
import { openPpoPolicy } from './open-ppo-policy.ts';
import { evaluatedFormOf, type EvaluatedForm } from './evaluated-form.ts';
import { evaluatePpo, type PpoEvaluation } from './ppo-evaluation.ts';
import type { StepAction } from './robots.ts';

export interface EnvironmentEvaluation {
  readonly env: string;
  /** a run of `emac ppo`, `emac sft` or `emac train`, RUN@best or a checkpoint; `untouched`: a policy that learned nothing */
  readonly ckpt: string;
  /** of an untouched policy, and the model of a checkpoint of other training that was copied; else a run says its own */
  readonly policy?: string | null;
  readonly episodes: number;
  /** 0 takes the likeliest answers */
  readonly temperature: number;
  readonly seed: number;
  /** pictures are blank, which tells whether the policy looks at them; default false */
  readonly blankFrames?: boolean;
}

export interface EvaluatedEnvironment {
  readonly result: PpoEvaluation;
  readonly config: PpoConfig;
  /** milliseconds that each part took */
  readonly spent: ReadonlyMap<string, number>;
}

/** With the seed of a run it plays the episodes of that run. Errors: `missing`; `data` for a policy of another environment or method; `usage`. */
export async function evaluateEnvironment(
  asked: EnvironmentEvaluation,
  host: Host = plainHost(),
  watch?: EpisodeWatcher<StepAction>,
): Promise<EvaluatedEnvironment> {
  const times = timesOf(host.now);
  const { ckpt, seed } = asked;
  const stored = ckpt === 'untouched' ? null : evaluatedFormOf(ckpt, asked.policy ?? null);
  const config = configOf(asked, stored);
  const random = Random.fromSeed(seed);
  const start = { random: random.stream('start'), from: stored && ckpt };
  const policy = await times.part('opening', () => openPpoPolicy(config, start, host));
  try {
    host.listener?.begin?.('evaluation', asked.episodes, { noun: 'episode' });
    const { actorCritic, evaluatedAtOnce } = policy;
    const texts = asked.blankFrames ? withBlankFrames(policy.texts) : policy.texts;
    const shown = { actorCritic, texts, evaluatedAtOnce };
    const scoring = {
      config,
      policy: shown,
      random: random.stream('evaluation'),
      checkpoint: stored?.name ?? ckpt,
      host,
    };
    const result = await times.part('evaluation', () => evaluatePpo({ ...scoring, ...(watch && { watch }) }));
    host.listener?.end?.();
    return { result: result!, config, spent: times.spent };
  } finally {
    await policy.dispose();
  }
}

/** Black in place of every picture. Errors: `usage` where no picture is read. */
export function withBlankFrames(texts: StepTexts<StepAction>): StepTexts<StepAction> {
  if (!texts.frames)
    throw new EmacError(
      'usage',
      '--observe text: gives blank pictures, but this policy reads no picture; leave it out',
    );
  return { ...texts, prompt: (seen) => texts.prompt({ ...seen, frame: blankOf(seen.frame!) }) };
}

function blankOf({ data, ...size }: Frame): Frame {
  return { ...size, data: new Uint8Array(data.length) };
}

/** The configuration of an evaluation: that of the checkpoint, in this environment. Errors: `data`, `usage`. */
export function configOf(
  { env, ckpt, policy, episodes, temperature, seed }: EnvironmentEvaluation,
  stored: EvaluatedForm | null,
): PpoConfig {
  const evaluation = { episodes, temperature };
  if (!stored) return ppoConfig({ env, seed, evaluation, ...(policy != null && { policy }) });
  const config = ppoConfig({ ...stored.form, env, seed, evaluation });
  if (
    stored.form.env !== config.env &&
    stored.form.policy !== undefined &&
    !isModelPolicy({ policy: stored.form.policy })
  )
    throw new EmacError(
      'data',
      `--ckpt ${ckpt}: was trained in ${stored.form.env} and cannot read ${config.env}; give that with --env`,
    );
  return config;
}
