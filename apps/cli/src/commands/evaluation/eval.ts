/** `emac eval`: one policy or several on held-out tasks, without expert, key or network. */
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { dryComparison, dryEvaluation } from '@emac/dry-run';
import {
  comparePolicies,
  evaluatedInSteps,
  evaluatePolicy,
  withPublishedNames,
  type PolicyEvaluation,
} from '@emac/experiment';
import {
  environmentId,
  isDescribedElsewhere,
  isPlayedElsewhere,
  limitedHost,
  trainedIn,
  type Host,
  type MemoryLimit,
  subjectOf,
} from '@emac/opening';
import type { PagePicture } from '@emac/pages/data';
import {
  evaluationConfig,
  evaluationSchema,
  lewisRoles,
  requireEffect,
  usualEnvironment,
  type EvaluationConfig,
} from '@emac/settings';
import { command } from '../../calling/command.ts';
import { dryRunOption } from '../../options/dry-run.ts';
import { givenEnvironment, namesModule } from '../../options/given-code.ts';
import { configOption, layered } from '../../options/layers.ts';
import { memoryOption, underMemory } from '../../options/memory-option.ts';
import { choice, formed, text, toggle, type Values } from '../../options/option.ts';
import { ownFolder } from '../../options/own-folder.ts';
import { checkWorkers, queueOptions, withWorkers } from '../../options/queue-options.ts';
import { quietOption } from '../../options/quiet-option.ts';
import { runNamed } from '../../options/run-name.ts';
import { personAt } from '../../play/person.ts';
import { comparisonText, filming, writeComparisonPage } from '../../reports/comparison-page.ts';
import { datasetText } from '../../reports/dataset-report.ts';
import { sayDryRuns, withNote } from '../../reports/dry-run-text.ts';
import { evaluationText } from '../../reports/comparison-report.ts';
import { successOf } from '../../reports/evaluation-report.ts';
import { filmedForm, writeFilms } from '../../reports/films.ts';
import { writeReport } from '../../reports/write-report.ts';
import { noteCommand } from '../../run-notes/write-notes.ts';
import { evalSettings } from '../../settings/eval-settings.ts';
import { isPlayer, policyOption, serviceIn, serviceOptions } from '../../settings/policy-options.ts';
import { counted, durations } from '../../terminal/amounts.ts';
import { hostOf } from '../../terminal/host.ts';
import { say, type Io } from '../../terminal/io.ts';
import { shellWord } from '../../terminal/shell-word.ts';
import { keptSteps, requireFolder, requireShown } from './kept-steps.ts';

const options = {
  env: text({
    help: 'environment to evaluate in, e.g. gym_cards/NumberLine-v0 (with --world http libero_spatial) or ./mine.mjs; for an agent --agent FILE instead; --ckpt is then a run, a model or untouched',
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
  ...memoryOption,
  json: toggle('print the result as JSON on standard output'),
  events: toggle('print one JSON object a line for every event, the result last'),
  ...quietOption,
};

/** Beside `--ckpt`, `--policy` names the model. */
type Flags = Values<typeof options> & Readonly<Record<string, unknown>>;

export const evalCommand = command({
  options,
  essentials: ['ckpt', 'policy', 'games', 'num-games', 'env', 'data', 'gif', 'out', 'json', 'config'],
  run: async (typed, words, io) => {
    const { flags, names } = withPolicies(typed);
    const policies = names.map((name) =>
      isPlayer(name) || name === 'untouched' ? name : runNamed(name, { env: flags.env }),
    );
    const isOne = policies.length === 1 && !isPlayer(policies[0]!);
    const where = isOne ? whereOne(policies[0]!, flags) : whereAll(policies, flags);
    refuseOthers(flags, { ...where, isOne });
    const service = serviceIn(policies, flags);
    // a run's record never loads code: only the command line may
    const code = await givenEnvironment(flags.env);
    const config = configOf(flags, { words, io, ckpt: policies[0]!, ...where });
    const warned = (line: string): void => say(io.stderr, line);
    return underMemory(flags, warned, (memory) => {
      const asked = { flags, config, ...where, io, code, memory };
      return isOne ? evaluateOne(asked) : compare({ ...asked, policies, service });
    });
  },
});

interface Where {
  /** in words, or step by step here or at a client */
  readonly kind: 'games' | 'episodes' | 'elsewhere';
  /** an id or a module; null for games and datasets */
  readonly env: string | null;
}

interface Asked extends Where {
  readonly flags: Flags;
  readonly config: EvaluationConfigAsked;
  readonly io: Io;
  /** the module from the command line */
  readonly code: Pick<Host, 'environment'>;
  readonly memory: MemoryLimit | null;
}

/** Without a default for `out`, which depends on what is evaluated. */
type EvaluationConfigAsked = Partial<EvaluationConfig> & Pick<EvaluationConfig, 'ckpt'>;

/** Errors: `usage` for settings without effect; those of `layered`. */
function configOf(
  flags: Flags,
  {
    words,
    io,
    ckpt,
    kind,
    env,
  }: Where & { readonly words: readonly string[]; readonly io: Io; readonly ckpt: string },
): EvaluationConfigAsked {
  const values = { ...flags, ckpt };
  const isInSteps = kind !== 'games';
  // the variable EMAC_MODEL is for games: a run has its own model
  const variables = isInSteps ? { ...io.env, EMAC_MODEL: undefined } : io.env;
  const { layers } = layered<EvaluationConfig>(evalSettings, { values, words, env: variables });
  const defaults = evaluationConfig({ ckpt });
  const subjects = [{ ...subjectOf({ method: null, env, policy: null }), isInSteps }];
  return requireEffect<EvaluationConfig>({ schema: evaluationSchema, layers, defaults, subjects });
}

/** One trained policy: by steps, in games or on a dataset. Errors: `usage`. */
async function evaluateOne({ flags, config, kind, env, io, code, memory }: Asked): Promise<number> {
  const { events, quiet, gif, layout, queue } = flags;
  const isJson = flags.json || events;
  const { world } = evaluationConfig({ ckpt: config.ckpt, ...(config.world && { world: config.world }) });
  const isBySteps = kind !== 'games';
  const typed = config.model?.path ?? null;
  const named = { ...config, ...(env !== null && { env }), ...(isBySteps && { model: { path: typed } }) };
  const out = config.out === undefined ? (layout ? 'runs' : ownFolder(named, io)) : config.out;
  requireFolder(flags, { out, isFile: !isBySteps });
  const isWaiting = queue !== null || (isBySteps && world.kind !== 'own');
  const interrupted = isWaiting ? io.catchInterruption('and taking back waiting jobs') : undefined;
  const own = { ...hostOf(io, interrupted, { json: events, quiet, verbose: flags.verbose }), ...code };
  const host = limitedHost(own, memory);
  const { signal } = host;
  const asked = { ...named, out };
  const films = gif !== null;
  const steps = isBySteps && {
    env: env!,
    ckpt: config.ckpt,
    policy: typed,
    temperature: config.temperature ?? 0,
    seed: config.seed ?? 0,
    gif: gif ?? (layout === null ? null : 'all'),
    layout,
    note: flags.note,
    out,
    isQueued: queue !== null && queue !== 'local',
    isAtClient: world.kind !== 'own' || isPlayedElsewhere(env!),
  };
  if (steps) requireShown(steps);
  if (flags['dry-run']) {
    const note = await checkWorkers(flags, io);
    sayDryRuns(withNote([await dryEvaluation(asked, host, { films })], note), { json: isJson, quiet, io });
    return 0;
  }
  const prepare = (folder: string) => noteCommand(folder, io, host.listener?.note);
  const evaluated = await withWorkers({ values: flags, io, settings: { signal } }, (workers) =>
    evaluatePolicy(
      asked,
      { ...host, workers },
      { films, prepare, ...(steps && { beside: keptSteps(steps, io) }) },
    ),
  );
  const published = evaluated.kind === 'steps' ? withPublishedNames(evaluated.result) : evaluated.result;
  say(io.stdout, isJson ? JSON.stringify(published) : textOf(evaluated));
  const said = isJson ? io.stderr : io.stdout;
  if (!quiet) say(said, `time: ${durations(evaluated.spent)}`);
  if (!quiet) sayOfLewis(evaluated, config.ckpt, said);
  const { folder } = evaluated;
  if (folder === null) return 0;
  const isQuiet = isJson && quiet;
  writeReport(folder, { ...io, stdout: said, isQuiet });
  if (films && !isBySteps) {
    const written = await writeFilms(folder, gif, new Date(io.now()));
    if (!isQuiet) say(said, `films: ${written.length === 0 ? 'none' : join(folder, 'gifs')}`);
  }
  if (steps && steps.gif !== null && !isQuiet)
    say(said, `films: ${join(folder, layout === null ? 'gifs' : 'rollouts')}`);
  return 0;
}

interface ComparisonAsked extends Asked {
  readonly policies: readonly string[];
  readonly service: ReturnType<typeof serviceIn>;
}

/** Several policies, or one that is no trained one. Errors: `usage`; those of `comparePolicies`. */
async function compare(asked: ComparisonAsked): Promise<number> {
  const { policies, service, flags, config, env, io, code, memory } = asked;
  const { events, quiet, gif } = flags;
  const json = flags.json || events;
  const { out: given, ckpt: _ckpt, ...evaluation } = config;
  const named = given === undefined ? ownFolder({ policies, env: flags.env }, io) : given;
  const out = named === null ? null : named.replace(/[/\\]+$/, '');
  requireFolder(flags, { out, isFile: false });
  const signal = io.catchInterruption();
  const own = {
    ...hostOf(io, signal, { json: events, quiet, verbose: flags.verbose }),
    ...code,
    person: personAt(io),
  };
  const host = limitedHost(own, memory);
  const where = { policies, env, evaluation, ...service, out };
  if (flags['dry-run']) {
    sayDryRuns(await dryComparison(where, host), { json, quiet, io });
    return 0;
  }
  const pictures: PagePicture[] = [];
  const films = gif !== null && out !== null && { films: { which: gif, film: filming(out, pictures) } };
  const comparison = await comparePolicies({ ...where, ...films }, host);
  say(io.stdout, json ? JSON.stringify(comparison) : comparisonText(comparison));
  if (out === null) return 0;
  noteCommand(out, io, host.listener?.note);
  writeComparisonPage(out, { comparison, pictures }, io);
  const said = json ? io.stderr : io.stdout;
  const filmed = pictures.length > 0 ? join(out, 'films') : noFilms;
  if (gif !== null && !quiet) say(said, `films: ${filmed}`);
  if (!quiet) say(said, `report: ${join(out, 'report.html')}`);
  return 0;
}

const noFilms =
  'none; the environment shows no pictures, no task was chosen, or an older version played them';

/**
 * The policies to evaluate: those of `--policy`, or the one of `--ckpt`. Beside `--ckpt`, `--policy` names its model. Errors: `usage`
 * without any.
 */
function withPolicies(typed: Flags): { readonly flags: Flags; readonly names: readonly string[] } {
  const { policy, ckpt, model } = typed;
  if (typeof ckpt === 'string') {
    if (policy !== null && model !== undefined)
      throw new EmacError(
        'usage',
        '--policy: is also given as --model, since beside --ckpt it names the model; give one of them',
      );
    const named = policy === null ? {} : { model: policy.join(',') };
    return { flags: { ...typed, ...named, policy: null }, names: [ckpt] };
  }
  if (policy === null)
    throw new EmacError(
      'usage',
      '--ckpt: is required, give a policy with it or with --policy; see "emac eval --help"',
    );
  return { flags: { ...typed, policy: null }, names: policy };
}

/** The published evaluation of the Lewis game measures more than these one-answer games: names its command. */
function sayOfLewis(evaluated: PolicyEvaluation, ckpt: string, said: Io['stdout']): void {
  const played = evaluated.kind === 'games' ? evaluated.result.games[0]?.type : null;
  const role = lewisRoles.find((each) => played === `lewis/${each}`);
  if (role !== undefined)
    say(said, `identification and recognition: npx emac eval --env lewis --${role} ${shellWord(ckpt)}`);
}

/** How one trained policy is evaluated. Errors: `usage`. */
function whereOne(ckpt: string, flags: Flags): Where {
  const { games, data, world } = flags as {
    readonly games?: string;
    readonly data?: string;
    readonly world?: string;
  };
  const typed = flags.env;
  const stepped = evaluatedInSteps({ ckpt, env: typed, games, data });
  if (stepped === null) return { kind: 'games', env: typed };
  // a module's path comes from the command line
  const env = namesModule(stepped) ? stepped : environmentId(stepped);
  const isElsewhere = (world === 'http' && env !== usualEnvironment) || isPlayedElsewhere(env);
  return { kind: isElsewhere ? 'elsewhere' : 'episodes', env };
}

/** Where several play: in the environment of the first that was trained elsewhere than in games. Errors: `usage`. */
function whereAll(policies: readonly string[], flags: Flags): Where {
  const trained = policies.filter((name) => !isPlayer(name) && name !== 'untouched');
  const from = flags.env === null && flags['games'] === undefined ? trained : [];
  const elsewhere = from
    .map((name) => ({ name, env: trainedIn(name) }))
    .find((each) => each.env !== usualEnvironment);
  const env = elsewhere?.env ?? flags.env;
  if (elsewhere && namesModule(env))
    throw new EmacError(
      'usage',
      `--policy ${elsewhere.name}: was trained in ${env}; name this code with --env ${env}`,
    );
  return { kind: env === null ? 'games' : 'episodes', env };
}

/** Errors: `usage` for a flag that is no setting, or is one of other evaluations alone. */
function refuseOthers(flags: Flags, { kind, env, isOne }: Where & { readonly isOne: boolean }): void {
  const isBySteps = kind !== 'games';
  const named = env === null ? ', which was not given' : ' with an id, not with a module';
  const others = [
    [
      isOne,
      ['queue', 'shared', 'layout', 'note', 'data', 'images', 'world'],
      'is for one trained policy; leave it out, or give one with --ckpt',
    ],
    [isBySteps, ['layout', 'note'], `belongs to --env${named}`],
    [isOne || !isBySteps, ['observe'], 'is for games; leave it out with --env'],
    [
      kind !== 'elsewhere',
      ['max-steps'],
      `is for episodes on this machine, but a client plays ${env}; leave it out`,
    ],
  ] as const;
  for (const [isHere, names, why] of others) {
    const typed = names.find((name) => !isHere && flags[name] != null);
    if (typed !== undefined) throw new EmacError('usage', `--${typed}: ${why}`);
  }
  if (isBySteps && flags['observe'] === 'image')
    throw new EmacError('usage', '--observe image: is for games; leave it out with --env');
}

function textOf(evaluated: PolicyEvaluation): string {
  if (evaluated.kind === 'data') return datasetText(evaluated.result);
  if (evaluated.kind === 'games') return evaluationText(evaluated.result);
  const { result, config } = evaluated;
  const { env, evaluation } = config;
  const at = isPlayedElsewhere(env) && !isDescribedElsewhere(env) ? ' at a client' : '';
  const how = evaluation.temperature === 0 ? 'greedy' : `temperature ${evaluation.temperature}`;
  return `${evaluationText(result)}\n${counted(result.tasks!, 'held-out task')} of ${env}${at}, ${how}; success = ${successOf(env)}`;
}
