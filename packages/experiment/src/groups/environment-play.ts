/** Attempts at tasks of any environment: whole episodes, rewarded by the environment. */
import type { ModelFiles } from '@emac/backbone';
import { playedGroups } from '@emac/algorithms';
import { EmacError, type OpenedKind } from '@emac/core';
import {
  dialogueOf,
  observedBy,
  type OpenModel,
  closings,
  kindEnvironment,
  parallelOf,
  requireFrameAlone,
  rewardIn,
  speechIn,
  tellSteps,
  type Host,
  type AskedForm,
  type PolicyForm,
  type PolicyStart,
} from '@emac/opening';
import { grpoSettingsOf, usualEnvironment, type GrpoConfig } from '@emac/settings';
import { heldOutPlay } from '../evaluation/evaluated-play.ts';
import type { GroupPlay } from './group-play.ts';
import { environmentWorkers, type EnvironmentWorkers } from './environment-workers.ts';
import { openGroupPolicy } from './group-policy.ts';
import { openedIn } from './opened-in.ts';
import { heldOutEvaluation, learnFromAttempts } from './played-attempts.ts';
import { trainedPolicy } from './trained-policy.ts';

/** Errors: those of the environment and the model; `usage` for workers beside clients. */
export async function openEnvironmentPlay(
  config: GrpoConfig,
  start: PolicyStart,
  host: Host,
): Promise<GroupPlay> {
  refuseWorkers(config, host);
  const open = closings();
  try {
    const opened = await openedIn(config, host);
    open.add(async () => opened.close?.());
    // refused before there is a folder
    grpoSettingsOf(config, opened.tasks.training.count);
    const reward = rewardIn(config.rewards.attempt, host.reward);
    const formed = (stored: PolicyForm | null, { files }: OpenModel) =>
      formOf(config, opened, { stored, files });
    const policy = await openGroupPolicy(config, { ...start, formed }, host);
    open.add(() => policy.dispose());
    const { student, form } = policy;
    const texts = speechIn(opened, student, form.text);
    const evaluated = heldOutPlay(opened, config.evaluation.games);
    const parallel = config.play.parallelEpisodes ?? parallelOf(student);
    let others: EnvironmentWorkers | null = null;
    return {
      policy: trainedPolicy(policy, {
        name: config.model.path,
        reference: policy.reference,
        beside: () => ({}),
      }),
      learner: student,
      tasks: opened.tasks.training.count,
      heldOut: evaluated.tasks().length,
      together: Math.min(parallel, opened.seats?.() ?? parallel),
      journal: null,
      name: `${config.model.path} in ${config.env}`,
      versions: opened.versions ?? {},
      train: (training) =>
        learnFromAttempts(
          playedGroups({
            tasks: opened.tasks.training,
            environment: (tasks) => kindEnvironment(opened, tasks, form.text),
            texts,
            maxSteps: form.maxSteps,
            parallel: Math.min(parallel, opened.seats?.() ?? parallel),
            reward,
            invalidCost: config.rewards.invalid,
            admissibleOnly: form.admissibleOnly,
            ...(opened.anchor && { anchor: opened.anchor.bind(opened) }),
            report: tellSteps(host.listener),
            elsewhere: others?.attempts,
          }),
          training,
        ),
      evaluate: heldOutEvaluation({
        config,
        opened,
        policy: student,
        texts,
        form,
        parallel,
        elsewhere: (when) => others?.evaluation(when),
      }),
      workers: (run, trained) =>
        (others = environmentWorkers(run, {
          opened,
          evaluated: evaluated.tasks(),
          config: { ...config, trained },
          policy,
          host,
        })),
      dispose: () => open.close(),
    };
  } catch (thrown) {
    await open.close();
    throw thrown;
  }
}

/** Errors: `usage`. */
function refuseWorkers({ world, env, games }: GrpoConfig, { workers }: Host): void {
  if (workers && games !== null && env !== usualEnvironment)
    throw new EmacError(
      'usage',
      `--queue: workers play the tasks that ${env} has by itself, not those of --games ${games}; give one of the two`,
    );
  if (workers && world.kind !== 'own')
    throw new EmacError(
      'usage',
      `--queue: workers play built-in games or games of files, but with --world ${world.kind} clients bring the games; give one of the two`,
    );
}

/** It observes as in its earlier training. Errors: `usage` for a policy trained to think. */
function formOf(
  { init, play, speech, losses }: GrpoConfig,
  { id: env, maxSteps }: OpenedKind,
  { stored, files }: { readonly stored: PolicyForm | null; readonly files: ModelFiles },
): AskedForm {
  if (stored?.text.thoughts)
    throw new EmacError(
      'usage',
      `--init ${init}: was trained to think before it acts, but attempts have no thoughts; give a policy without thoughts`,
    );
  const observe = observedBy(speech.observe, stored, files);
  const admissibleOnly = play.admissibleOnly ?? stored?.admissibleOnly ?? false;
  requireFrameAlone(observe, { admissibleOnly });
  return {
    ...(env !== usualEnvironment && { env }),
    generation: { beams: 1, minLength: speech.minLength, maxLength: losses.maxLength },
    text: {
      maxTokens: speech.maxPromptLength,
      thoughts: false,
      observe,
      ...dialogueOf(speech.dialogue, stored),
    },
    maxSteps,
    admissibleOnly,
  };
}
