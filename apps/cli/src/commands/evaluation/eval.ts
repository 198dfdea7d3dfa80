/** `emac eval`: evaluates a trained policy, without expert, key or network. */
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { dryEvaluation } from '@emac/dry-run';
import { evaluatePolicy, isFolderName, type PolicyEvaluation } from '@emac/experiment';
import { isFolder } from '@emac/files';
import { environmentOfPolicy, isPlayedElsewhere, steppedIn } from '@emac/opening';
import {
  evaluationConfig,
  evaluationSchema,
  lewisRoles,
  requireEffect,
  usualEnvironment,
  type EvaluationConfig,
} from '@emac/settings';
import { dryRunOption } from '../../options/dry-run.ts';
import { configOption, layered } from '../../options/layers.ts';
import { givenEnvironment, namesModule } from '../../options/given-code.ts';
import { evalSettings } from '../../settings/eval-settings.ts';
import { strangeFlag } from '../../settings/evaluation-flags.ts';
import { isPlayer, policyOption, serviceIn, serviceOptions } from '../../settings/policy-options.ts';
import { ownFolder } from '../../options/own-folder.ts';
import { checkWorkers, queueOptions, withWorkers } from '../../options/queue-options.ts';
import { runNamed } from '../../options/run-name.ts';
import { choice, formed, text, toggle } from '../../options/option.ts';
import { noteCommand } from '../../run-notes/write-notes.ts';
import { durations } from '../../terminal/amounts.ts';
import { datasetText } from '../../reports/dataset-report.ts';
import { evaluationText } from '../../reports/evaluation-report.ts';
import { filmedForm, writeFilms } from '../../reports/films.ts';
import { quietOption } from '../../options/quiet-option.ts';
import { hostOf } from '../../terminal/host.ts';
import { say, type Io } from '../../terminal/io.ts';
import { sayDryRuns, withNote } from '../../reports/dry-run-text.ts';
import { shellWord } from '../../terminal/shell-word.ts';
import { writeReport } from '../../reports/write-report.ts';
import { command } from '../../calling/command.ts';
import { evaluateInEnvironment } from './eval-environment.ts';
import { evaluatePolicies } from './eval-policies.ts';

export const evalCommand = command({
  options: {
    env: text({
      help: 'environment to evaluate in, e.g. gym_cards/NumberLine-v0 (with --world http libero_spatial) or ./mine.mjs; --ckpt is then a run of emac train --method ppo or emac train --method sft, or untouched',
      default: null,
    }),
    gif: formed(filmedForm, {
      help: 'also write films of these games: gifs/NUMBER.gif in the evaluation’s folder; of several policies side by side in films/',
      default: null,
    }),
    layout: choice(['published'], {
      help: '--env tabletop/…: write VLA-RL’s folder EVAL-… into --out: log, records and films in rollouts/',
      default: null,
    }),
    note: text({ help: '--layout published: suffix of the folder’s name', default: null }),
    ...queueOptions,
    ...dryRunOption,
    ...configOption,
    ...policyOption,
    ...evalSettings,
    ...serviceOptions,
    json: toggle('print the result as JSON on standard output'),
    events: toggle('print one JSON object a line for every event, the result last'),
    ...quietOption,
  },
  essentials: ['ckpt', 'policy', 'games', 'num-games', 'env', 'data', 'gif', 'out', 'json', 'config'],
  run: async (typed, words, io) => {
    const { asked, policies } = withPolicies(typed);
    if (policies.length > 1 || isPlayer(policies[0]!)) {
      const code = await givenEnvironment(asked.env);
      const { out: given } = asked as Readonly<Record<string, unknown>>;
      const named = given === undefined ? ownFolder({ policies, env: asked.env }, io) : given;
      const out = typeof named === 'string' ? named.replace(/[/\\]+$/, '') : null;
      return evaluatePolicies(policies, asked, { words, io, code, out });
    }
    serviceIn(policies, asked);
    const values = { ...asked, env: asked.env ?? trainedIn(asked) };
    const isOfEpisodes = playsEpisodes(values);
    refuseOtherKind(values, words, { isOfEpisodes, env: asked.env });
    // a run's record never loads code: only the command line may
    const code = await givenEnvironment(asked.env);
    if (isOfEpisodes) return evaluateInEnvironment({ ...values, env: values.env! }, { words, io, code });
    const { given: asGiven, layers } = layered<EvaluationConfig>(evalSettings, {
      values,
      words,
      env: io.env,
    });
    const defaults = evaluationConfig({ ckpt: asGiven.ckpt });
    const given = requireEffect<EvaluationConfig>({ schema: evaluationSchema, layers, defaults });
    if (values.gif !== null && given.data != null)
      throw new EmacError('usage', '--gif: belongs to games, but --data has none');
    const named = { ...given, ckpt: runNamed(given.ckpt) };
    const config = named.out === undefined ? { ...named, out: ownFolder(named, io) } : named;
    const films = values.gif !== null;
    if (films && (config.out == null || !isFolderName(config.out)))
      throw new EmacError(
        'usage',
        '--gif: films are written into the folder of an evaluation; give --out FOLDER/, or leave it out',
      );
    const { events, quiet } = values;
    const isJson = values.json || events;
    const signal = values.queue === null ? undefined : io.catchInterruption('and taking back waiting jobs');
    const host = { ...hostOf(io, signal, { json: events, quiet, verbose: values.verbose }), ...code };
    if (values['dry-run']) {
      refuseData(config, values);
      const queue = await checkWorkers(values, io);
      const runs = [await dryEvaluation(config, host, { films })];
      sayDryRuns(withNote(runs, queue), { json: isJson, quiet, io });
      return 0;
    }
    const prepare = (folder: string) => noteCommand(folder, io, host.listener?.note);
    refuseData(config, values);
    const evaluated = await withWorkers({ values, io, settings: { signal } }, (workers) =>
      evaluatePolicy(config, { ...host, workers }, { films, prepare }),
    );
    say(io.stdout, isJson ? JSON.stringify(evaluated.result) : textOf(evaluated));
    const said = isJson ? io.stderr : io.stdout;
    const isSilent = isJson && quiet;
    if (!quiet) say(said, `time: ${durations(evaluated.spent)}`);
    if (!quiet) sayOfLewis(evaluated, config.ckpt, said);
    if (config.out == null || !isFolder(config.out)) return 0;
    writeReport(config.out, { ...io, stdout: said, isQuiet: isSilent });
    if (values.gif !== null) {
      const films = await writeFilms(config.out, values.gif, new Date(io.now()));
      if (!isSilent) say(said, `films: ${films.length === 0 ? 'none' : join(config.out, 'gifs')}`);
    }
    return 0;
  },
});

/**
 * The policies to evaluate: those of `--policy`, or the one of `--ckpt`. Beside `--ckpt`, `--policy` names its model. Errors: `usage`
 * without any.
 */
function withPolicies<
  Typed extends { readonly policy: readonly string[] | null } & Readonly<Record<string, unknown>>,
>(typed: Typed): { readonly asked: Typed; readonly policies: readonly string[] } {
  const { policy, ckpt, model } = typed;
  const asked = (more: object) => ({ ...typed, policy: null, ...more }) as Typed;
  if (typeof ckpt === 'string') {
    if (policy !== null && model !== undefined)
      throw new EmacError(
        'usage',
        '--policy: is also given as --model, since beside --ckpt it names the model; give one of them',
      );
    return { asked: asked(policy === null ? {} : { model: policy.join(',') }), policies: [ckpt] };
  }
  if (policy === null)
    throw new EmacError(
      'usage',
      '--ckpt: is required, give a policy with it or with --policy; see "emac eval --help"',
    );
  return { asked: asked(policy.length === 1 ? { ckpt: policy[0] } : {}), policies: policy };
}

/** The published evaluation of the Lewis game measures more than these one-answer games: names its command. */
function sayOfLewis(evaluated: PolicyEvaluation, ckpt: string, said: Io['stdout']): void {
  const played = evaluated.kind === 'games' ? evaluated.result.games[0]?.type : null;
  const role = lewisRoles.find((each) => played === `lewis/${each}`);
  if (role !== undefined)
    say(said, `identification and recognition: npx emac eval --env lewis --${role} ${shellWord(ckpt)}`);
}

/** The environment of a PPO run, or of a dataset collected in one: its episodes are played unless games or a dataset are given. Null for any other policy. */
function trainedIn({ ckpt, games, data }: Readonly<Record<string, unknown>>): string | null {
  if (typeof ckpt !== 'string' || games != null || data != null) return null;
  try {
    return steppedIn(runNamed(ckpt));
  } catch (thrown) {
    // not such a run: opening it later accepts or rejects it
    if (thrown instanceof EmacError && thrown.code !== 'usage') return null;
    throw thrown;
  }
}

/** True for ids of environments and for modules. A policy trained in a module by words (not PPO) is evaluated there as in games. */
function playsEpisodes({ env, ...asked }: Readonly<Record<string, unknown>>): boolean {
  if (env === null) return false;
  return !namesModule(env) || trainedIn(asked) !== null || !isOfModule(asked['ckpt']);
}

function isOfModule(ckpt: unknown): boolean {
  if (typeof ckpt !== 'string' || ckpt === 'untouched') return false;
  try {
    return namesModule(environmentOfPolicy(runNamed(ckpt)));
  } catch (thrown) {
    // opening it later reports the error
    if (thrown instanceof EmacError) return false;
    throw thrown;
  }
}

/** Errors: `usage` without episodes to play. */
function refuseData({ data }: Partial<EvaluationConfig>, { queue }: { readonly queue: string | null }): void {
  if (queue !== null && queue !== 'local' && data != null)
    throw new EmacError('usage', '--queue: workers play games, but --data has none; leave one of them out');
}

/** Errors: `usage` for a flag or word without meaning for this kind of evaluation. */
function refuseOtherKind(
  values: Readonly<Record<string, unknown>>,
  words: readonly string[],
  { isOfEpisodes, env }: { readonly isOfEpisodes: boolean; readonly env: string | null },
): void {
  const named = String(values['env']);
  const isElsewhere = (values['world'] === 'http' && named !== usualEnvironment) || isPlayedElsewhere(named);
  const kind = !isOfEpisodes ? 'games' : isElsewhere ? 'elsewhere' : 'episodes';
  const wrong =
    strangeFlag(values, kind) ??
    (isOfEpisodes ? (values['observe'] === 'image' ? 'observe image' : words[0]) : undefined);
  if (wrong === undefined) return;
  const flag = wrong === words[0] ? wrong : `--${wrong}`;
  throw new EmacError(
    'usage',
    !isOfEpisodes
      ? `${flag}: belongs to --env${values['env'] === null ? ', which was not given' : ' with an id, not with a module'}`
      : `${flag}: is for games; leave it out ${env === null ? `for a run in ${String(values['env'])}` : 'with --env'}`,
  );
}

function textOf(evaluated: PolicyEvaluation): string {
  return evaluated.kind === 'games' ? evaluationText(evaluated.result) : datasetText(evaluated.result);
}
