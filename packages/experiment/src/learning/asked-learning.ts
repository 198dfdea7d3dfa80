/** What a program asks `learn` for, and the run that it means. */
import {
  groupMethodNames,
  isJudged,
  learnsPairs,
  namedLosses,
  phases,
  type GroupMethodName,
  type LabelMethod,
  type Phase,
} from '@emac/algorithms';
import { EmacError, type LabelRequest } from '@emac/core';
import {
  inlineEnvironment,
  loadMcp,
  sourceHash,
  startNamed,
  type GivenEnvironment,
  type Host,
  type InlineEnvironment,
} from '@emac/opening';
import { isMcpName, type GivenGrpoConfig, type GivenPpoConfig, type GivenSettings } from '@emac/settings';
import { trainGrpoRuns } from '../grpo/train-grpo.ts';
import { trainPpo } from '../reinforcement/train-ppo.ts';
import { trainPhases } from '../training/train.ts';

/** A method of the program: as the built-in ones are described, under a name of its own. */
export type OwnMethod = LabelMethod extends infer Kind
  ? Kind extends LabelMethod
    ? Omit<Kind, 'about'> & { readonly name: string }
    : never
  : never;

interface Asked {
  /** an id such as `MiniGrid-Empty-5x5-v0`, an MCP server such as `mcp:npx some-server#tasks=FILE`, or an environment: tasks, begin and what else it has */
  readonly environment: string | InlineEnvironment;
  /**
   * a model's name or folder, a small network (`mlp`, `cnn`), or a run to continue from; default the usual
   * model of the environment
   */
  readonly policy?: string;
  /** folder of the run: the same call resumes it there, and returns it once it is finished */
  readonly folder: string;
  /** the right action, or nothing, for imitation and preferences; default the environment's own expert */
  readonly expert?: (request: LabelRequest) => unknown;
}

/** Where a call decides, a setting does not. */
type Decided = 'env' | 'out' | 'method' | 'policy' | 'init';

/** A method with its settings, in the groups of `config.yaml`; missing ones have defaults. */
type MethodAsked =
  | {
      readonly method: Phase | `bc,${Phase}` | OwnMethod;
      readonly settings?: Omit<GivenSettings, Decided>;
    }
  | { readonly method: 'ppo'; readonly settings?: Omit<GivenPpoConfig, Decided> }
  | {
      readonly method: GroupMethodName;
      readonly settings?: Omit<GivenGrpoConfig, Decided>;
    };

export type Learning = Asked & MethodAsked;

/** A run that can be begun or resumed. */
export interface MeantRun {
  /** what makes it this run: a resumed or finished one must have the same */
  readonly identity: Readonly<Record<string, unknown>>;
  /** what its code is, for resuming and evaluating */
  readonly code: Pick<Host, 'environment' | 'expert' | 'method'>;
  begin(host: Host): Promise<unknown>;
}

/** Errors: `usage` for an unknown method, or an expert beside a method that has no labels. */
export function meantRun(asked: Learning): MeantRun {
  const { environment, policy, method, settings = {}, expert } = asked;
  const given = codeOf(environment);
  const env = given?.name ?? (environment as string);
  const code = { ...(given && { environment: given }), ...expertCode(expert), ...methodCode(method) };
  const name = typeof method === 'string' ? method : method.name;
  return {
    identity: {
      environment: env,
      method: name,
      policy: policy ?? null,
      settings,
      ...Object.fromEntries(Object.entries(code).map(([part, { sha256 }]) => [`code of ${part}`, sha256])),
    },
    code,
    begin: (host) => begun(asked, { ...host, ...code }, { env, out: asked.folder }),
  };
}

function codeOf(environment: Learning['environment']): GivenEnvironment | null {
  if (typeof environment !== 'string') return inlineEnvironment(environment);
  return isMcpName(environment) ? loadMcp(environment) : null;
}

function expertCode(label: Asked['expert']): Pick<Host, 'expert'> {
  return label ? { expert: { name: 'of the program', sha256: sourceHash(label), label } } : {};
}

function methodCode(method: Learning['method']): Pick<Host, 'method'> {
  if (typeof method === 'string') return {};
  const about = 'of the program';
  return {
    method: { name: method.name, sha256: sourceHash(method), method: { ...method, about } as LabelMethod },
  };
}

interface Place {
  readonly env: string;
  readonly out: string;
}

async function begun(asked: Learning, host: Host, place: Place): Promise<unknown> {
  const { method, expert } = asked;
  const { model, init } = startNamed(asked.policy);
  const named = { ...place, ...(model !== null && { policy: model }) };
  const from = { ...named, ...(init !== null && { init }) };
  const name = typeof method === 'string' ? method : '';
  const own = namedLosses(name);
  if (name === 'ppo' || own) {
    if (expert)
      throw new EmacError('usage', `expert: ${name} learns from rewards, without labels; leave it out`);
    // of which method the settings are, the name has told
    const settings = asked.settings as GivenPpoConfig & GivenGrpoConfig;
    if (!own) return trainPpo({ ...settings, ...from }, host);
    const losses = { ...settings?.losses, ...own };
    return trainGrpoRuns({ ...settings, losses, ...from } as GivenGrpoConfig, host);
  }
  const phases = phasesOf(method);
  // an object as the method keeps the types of the others' settings apart no longer
  const given = { ...(asked.settings as GivenSettings), ...named };
  const labelled: GivenSettings = {
    ...given,
    ...(typeof method !== 'string' && { method: method.name }),
    ...(init !== null && (isJudged(phases[0]!) ? { start: { ...given.start, ref: init } } : { init })),
    ...(expert && { expert: { ...given.expert, kind: 'module' } }),
  };
  return trainPhases(labelled, phases, host);
}

/** Errors: `usage`. */
function phasesOf(method: Learning['method']): Phase[] {
  if (typeof method !== 'string') return [method.over === 'pairs' ? 'dpo' : 'bc'];
  const names = method.split(',');
  const unknown = names.find((name) => !phases.some((phase) => phase === name));
  if (unknown === undefined && names.slice(1).every((name) => learnsPairs(name as Phase)))
    return names as Phase[];
  const known = [...phases, 'bc,dpo', 'ppo', ...groupMethodNames].join(', ');
  throw new EmacError(
    'usage',
    `method: must be ${known} or an object of your own, got ${JSON.stringify(method)}`,
  );
}
