/**
 * Several policies on the same held-out tasks, one after another: trained ones, scripted ones, code, services. Each result lies in a
 * folder of its own, named by everything that decides it, so a repeated comparison plays only the missing ones.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmacError, Random, repeated } from '@emac/core';
import { canonicalJson, createFolder, isFile, readJson, sha256, writeFileAtomic } from '@emac/files';
import {
  keepingWorlds,
  isModel,
  openPlayerIn,
  plainHost,
  policyNamed,
  type Host,
  type PolicyName,
  type ServiceMessages,
  type SpentOnLabels,
  policyContent,
} from '@emac/opening';
import type { EvaluationResult } from '@emac/rollout';
import { layout } from '@emac/runs';
import {
  evaluationConfig,
  requireDraws,
  type EvaluationConfig,
  type LanguageModelConfig,
} from '@emac/settings';
import { evaluatePolicy, evaluatedInSteps } from '../evaluation/evaluate-policy.ts';
import { defaultPolicyOf } from '../reinforcement/given-config.ts';
import { openKeptEvaluation } from '../evaluation/kept-evaluation.ts';
import { expectedOfPlayer } from '../evaluation/trial.ts';
import { textOf } from '../evaluation/evaluate-in-steps.ts';
import type { PpoEvaluation } from '../reinforcement/ppo-evaluation.ts';
import { comparedResult, type ComparedPolicy, type Comparison } from './compared-result.ts';
import { comparedTasks, type ComparedTasks } from './compared-tasks.ts';
import { evaluatePlayer } from './evaluate-player.ts';
import { sideBySide, type FilmedTask, type TasksFilmed } from './side-by-side.ts';
import { transcriptWatcher } from './transcripts.ts';

type GivenEvaluation = Omit<Parameters<typeof evaluationConfig>[0], 'ckpt' | 'out'>;

export interface ComparisonConfig {
  /** names as `policyNamed` reads them; the first is the one that others are compared with */
  readonly policies: readonly string[];
  /** an environment or a module; null for games */
  readonly env: string | null;
  /** of `emac eval` */
  readonly evaluation: GivenEvaluation;
  /** requests to a service */
  readonly languageModel: LanguageModelConfig;
  /** what it is sent; default the prompt */
  readonly messages?: ServiceMessages;
  /** a folder for the results; null keeps none */
  readonly out: string | null;
  /** a policy without meaning in the environment gets a row with the reason instead of ending the comparison; default false */
  readonly skips?: boolean;
  /** films of tasks, one after another; need `out` */
  readonly films?: { readonly which: TasksFilmed; readonly film: (film: FilmedTask) => void };
}

/** Errors: `usage` for a policy without meaning there; those of opening, playing and writing; `interrupted`. */
export async function comparePolicies(
  config: ComparisonConfig,
  host: Host = plainHost(),
): Promise<Comparison> {
  return keepingWorlds(host, (kept) => compared(config, kept));
}

/** Errors: `usage` for a policy that is named twice. */
export function requireDistinct(policies: readonly string[]): void {
  const twice = repeated(policies);
  if (twice !== undefined) throw new EmacError('usage', `--policy ${twice}: is given twice; leave one out`);
}

async function compared(config: ComparisonConfig, host: Host): Promise<Comparison> {
  const { policies, env, out, films } = config;
  requireDistinct(policies);
  if (out !== null && isFile(out))
    throw new EmacError('cannot-create', `--out ${out}: is a file; give the name of a folder`);
  const evaluation = evaluationConfig({ ...config.evaluation, ckpt: 'untouched' });
  const names = policies.map(policyNamed);
  const where = await comparedTasks(
    {
      env,
      games: evaluation.games,
      episodes: evaluation.numGames,
      maxSteps: evaluation.maxSteps,
      seed: evaluation.seed,
    },
    host,
  );
  const opened: Opened[] = [];
  try {
    for (const note of where.notes) host.listener?.note?.(note);
    // every policy is opened before the first one plays
    for (const [place, name] of names.entries())
      opened.push(await openedPolicy(policies[place]!, name, { config, evaluation, where, host }));
    if (!host.trial && opened.every(({ attempts }) => attempts === 1)) requireDraws(evaluation);
    const rows: ComparedPolicy[] = [];
    for (const each of opened) rows.push(await playedOrKept(each, out, host));
    const result = comparedResult({ env: env === null ? null : where.opened.id, evaluation, where, rows });
    if (out !== null) {
      createFolder(out);
      writeFileAtomic(join(out, 'comparison.json'), `${JSON.stringify(result, null, 2)}\n`);
      if (films)
        for await (const film of sideBySide({ where, rows, out, which: films.which })) films.film(film);
    }
    return result;
  } finally {
    for (const { dispose } of opened) await dispose();
    await where.opened.close?.();
  }
}

/** Written last into the folder of a policy. */
const cellFile = 'policy.json';

interface Cell {
  readonly v: 1;
  readonly policy: string;
  readonly seconds: number;
  readonly service: SpentOnLabels | null;
}

interface Opened {
  readonly name: string;
  /** of everything that decides its result; null if it cannot play here */
  readonly key: string | null;
  /** why not */
  readonly reason: string | null;
  /** at each task: as many as are asked for if it draws something, else one */
  readonly attempts: number;
  /** plays; `folder` is created, null keeps nothing */
  play(folder: string | null): Promise<{ result: EvaluationResult; service: SpentOnLabels | null }>;
  dispose(): Promise<void>;
}

interface Around {
  readonly config: ComparisonConfig;
  readonly evaluation: EvaluationConfig;
  readonly where: ComparedTasks;
  readonly host: Host;
}

async function openedPolicy(name: string, policy: PolicyName, around: Around): Promise<Opened> {
  try {
    return policy.kind === 'trained'
      ? await trainedPolicy(name, policy.ckpt, around)
      : await playerPolicy(name, policy, around);
  } catch (thrown) {
    if (!around.config.skips || !(thrown instanceof EmacError)) throw thrown;
    const play = () => Promise.reject(thrown);
    return { name, key: null, reason: thrown.message, attempts: 1, play, dispose: async () => {} };
  }
}

async function playedOrKept(
  { name, key, reason, play }: Opened,
  out: string | null,
  host: Host,
): Promise<ComparedPolicy> {
  if (key === null) return { policy: name, reason, folder: null, result: null, seconds: null, service: null };
  const place = `policies/${name
    .replace(/[^A-Za-z0-9.@-]+/g, '_')
    .replace(/^[._]+/, '')
    .slice(-40)}-${key.slice(0, 12)}`;
  const folder = out === null ? null : join(out, place);
  if (folder !== null && isFile(join(folder, cellFile))) {
    host.listener?.note?.(`${name}: was played before, see ${folder}`);
    const { seconds, service } = readJson(join(folder, cellFile)) as Cell;
    const result = readJson(join(folder, layout.evaluation)) as EvaluationResult;
    return { policy: name, reason: null, folder: place, result, seconds, service };
  }
  const since = host.now();
  host.listener?.note?.(`${name}:`);
  const { result, service } = await play(folder);
  const seconds = (host.now() - since) / 1000;
  const cell: Cell = { v: 1, policy: name, seconds, service };
  if (folder !== null) writeFileAtomic(join(folder, cellFile), `${canonicalJson(cell, 2)}\n`);
  return { policy: name, reason: null, folder: folder && place, result, seconds, service };
}

/** What a result depends on besides the policy. */
function subjectOf({ config: { env }, evaluation, where, host }: Around) {
  const { temperature, seed } = evaluation;
  const { tasks, opened } = where;
  const code = host.environment?.sha256 ?? null;
  const own = env === null ? null : opened.id;
  return { env: own, code, tasks, maxSteps: opened.maxSteps, temperature, seed };
}

function keyOf(content: unknown, attempts: number, around: Around): string {
  return sha256(canonicalJson({ v: 3, content, attempts, ...subjectOf(around) }));
}

async function playerPolicy(
  name: string,
  policy: Exclude<PolicyName, { readonly kind: 'trained' }>,
  around: Around,
): Promise<Opened> {
  const { config, evaluation, where, host } = around;
  const random = Random.fromSeed(evaluation.seed).stream('player');
  const { languageModel, messages = 'prompt' } = config;
  const { temperature } = evaluation;
  const waits = random.stream('waits');
  const options = { opened: where.opened, languageModel, temperature, random: waits, messages };
  const player = await openPlayerIn(policy, options, host);
  for (const note of player.notes) host.listener?.note?.(note);
  const attempts = player.isDrawn ? evaluation.attempts : 1;
  const key = keyOf([policy.kind, player.content], attempts, around);
  const made: string[] = [];
  // replies are on disk before they are used, also where nothing is kept
  const temporary = (): string => {
    made.push(mkdtempSync(join(tmpdir(), 'emac-replies-')));
    return join(made.at(-1)!, 'service');
  };
  return {
    name,
    key,
    reason: null,
    attempts,
    async play(folder) {
      const kept = openKeptEvaluation({ out: folder && `${folder}/`, subject: key });
      try {
        // beside the folder, which is emptied when it begins anew
        player.service?.keepReplies(`${folder ?? temporary()}.llm.jsonl`);
        const total = where.tasks.length * attempts;
        host.trial?.opened(expectedOfPlayer({ ...where, player, name, episodes: total }));
        if (host.trial && (player.service || policy.kind === 'human'))
          throw new EmacError('interrupted', `${name}: a dry run asks no service and no person`);
        host.listener?.begin?.('evaluation', total, { noun: 'episode' });
        const result = await evaluatePlayer({
          player,
          name,
          where,
          evaluation,
          attempts,
          random,
          host,
          journal: kept,
          watch: kept.filling === null ? null : transcriptsOf(kept.filling, where, attempts),
        });
        host.listener?.end?.();
        kept.finish(textOf(result as PpoEvaluation));
        return { result, service: player.service?.spent() ?? null };
      } finally {
        kept.close();
      }
    },
    async dispose() {
      await player.dispose();
      for (const folder of made) rmSync(folder, { recursive: true });
    },
  };
}

async function trainedPolicy(name: string, typed: string, around: Around): Promise<Opened> {
  const { config, evaluation, where, host } = around;
  const { env } = config;
  const { model, speech, admissibleOnly, games } = evaluation;
  const { path, ...computing } = model;
  const usual = path ?? defaultPolicyOf(env ?? where.opened.id);
  const ckpt = typed === 'untouched' && env === null ? usual : typed;
  const isInWords = evaluatedInSteps({ ckpt, env, games }) === null;
  const content = await policyContent(typed === 'untouched' ? usual : typed);
  const beside = path === null || typed === 'untouched' ? null : await policyContent(path);
  const attempts = evaluation.temperature > 0 ? evaluation.attempts : 1;
  const key = keyOf(
    ['trained', content, beside, computing, isInWords ? { speech, admissibleOnly } : null],
    attempts,
    around,
  );
  return {
    name,
    key,
    reason: null,
    attempts,
    async play(folder) {
      const asked = {
        ...config.evaluation,
        ...(env === null && { games }),
        ...(!isInWords && isModel(ckpt) && { model: computing }),
        env,
        ckpt,
        numGames: where.tasks.length,
        attempts,
        out: folder && `${folder}/`,
      };
      const { result } = await evaluatePolicy(asked, host, {
        tasks: env === null ? undefined : where.tasks,
        beside: { begin: (filling) => transcriptsOf(filling, where, attempts) },
      });
      return { result: result as EvaluationResult, service: null };
    },
    dispose: async () => {},
  };
}

/** All first attempts are played before the second ones; a transcript has the number of its game in the result. */
function transcriptsOf(folder: string, { tasks }: ComparedTasks, attempts: number) {
  return transcriptWatcher(folder, (episode) => {
    const [place, attempt] = [episode % tasks.length, Math.floor(episode / tasks.length)];
    return { number: place * attempts + attempt, task: tasks[place]! };
  });
}
