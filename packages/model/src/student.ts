/**
 * EMMA: a frozen vision encoder and a frozen language model with a trainable projection between them (arXiv 2311.16714).
 * The student acts, scores and trains with its own parameters; the same networks also act and score with any others.
 */
import {
  checkAdapter,
  needsPicture,
  type Adapter,
  type AdapterSettings,
  type AdapterTarget,
  type LayerPlace,
} from '@emac/backbone';
import { EmacError, type ParameterSet, type Policy, type Scorer, type Trainable } from '@emac/core';
import { fixedValues, isOfAdapter, liveAdapter } from './adapter.ts';
import { openEngine, type Engine, type EngineOptions } from './engine.ts';
import { decide } from './generation.ts';
import { lossGradient } from './loss-gradient.ts';
import type { PolicyParameters, Trains } from './rows/policy-parameters.ts';
import type { Projection } from './projection/projection.ts';
import { promptStates, type PromptStates } from './prompt-states.ts';
import { score, scoreWithEntropy } from './scoring.ts';
import { secondAdapter, type AdapterLearner } from './second-adapter.ts';
import { tokenQuestions, type TokenQuestions } from './token-questions.ts';
import { visualTokens } from './rows/visual-tokens.ts';

/** The trainable parts of a student: its projection, and its adapter if it has one. */
export type TrainedPart = 'projection' | 'adapter';

export interface StudentOptions extends Omit<EngineOptions, 'adapter' | 'trains' | 'dropout'> {
  /** disposed with the student; null for a model that reads text alone */
  readonly projection: Projection | null;
  /** low-rank adapter of the language model, copied; default none */
  readonly adapter?: Adapter | null;
  /** default: the projection only, or nothing without one */
  readonly train?: readonly TrainedPart[];
  /** further adapted projections, for policies with other parameters */
  readonly alsoAdapted?: readonly AdapterTarget[];
  /** seed of the adapter's dropout in training; default '0' */
  readonly dropoutSeed?: string;
}

/** Acts and scores with fixed parameters, such as a reference policy's. */
export interface FixedPolicy extends Policy, Scorer, Pick<TokenQuestions, 'tokenTexts'> {
  /** frees its own parameters; the networks belong to the student */
  dispose(): void;
}

/**
 * A trainable policy. Calls may overlap. `commit` takes effect for later calls, so call it while neither `score` nor
 * `gradient` is running.
 */
export interface Student extends Policy, Trainable, PromptStates, TokenQuestions {
  /** identity of the frozen networks; recorded in checkpoints and checked */
  readonly modelIdentity: string;
  /** where the language model's layers are */
  readonly layers: LayerPlace;
  /** the token that ends an answer */
  readonly endToken: number;
  /** whether it reads no prompt without a picture; false for a model that reads text alone */
  readonly needsPicture: boolean;
  /** one sentence if turns of a conversation do not add up (`addsUp`), else null */
  readonly note: string | null;
  /** the projection's parameters, trained or not; the arrays are live; null for a model that reads text alone */
  readonly projection: ParameterSet | null;
  /** the adapter, trained or not, with live arrays; null without one */
  readonly adapter: Adapter | null;
  /**
   * The same networks and sessions with other parameters, copied: a projection's and, if the policy has one, an adapter's, with the
   * student's α unless another is given. Errors: `data` for parameters that do not fit this model's projection, or an adapter that
   * the networks were not opened for.
   */
  under(parameters: ParameterSet, adapter?: AdapterScale): FixedPolicy;
  /**
   * Trains another adapter beside the student's own, copied: the same networks and sessions, with the student's current projection. Errors: `usage` if
   * the student trains no adapter, `data` for one that the networks were not opened for.
   */
  beside(adapter: Adapter): AdapterLearner;
  dispose(): Promise<void>;
}

/** The settings that determine an adapter's scale beside its numbers. */
export type AdapterScale = Pick<AdapterSettings, 'alpha' | 'rankStabilized'>;

/** Opens a student. Errors: those of `openEngine`; `data` if projection or adapter do not fit the model; `usage` without trained parts. */
export async function createStudent(options: StudentOptions): Promise<Student> {
  const { projection, adapter: given = null, alsoAdapted = [] } = options;
  const train = options.train ?? (projection ? (['projection'] as const) : []);
  const trains: Trains = { projection: train.includes('projection'), adapter: train.includes('adapter') };
  if (trains.projection && !projection)
    throw new EmacError(
      'usage',
      'student: a model that reads text alone has no projection; train an adapter',
    );
  if (options.train?.length === 0 || (trains.adapter && !given))
    throw new EmacError(
      'usage',
      `student: must train its projection or an adapter that it has, got ${train.join(', ') || 'nothing'} ${given ? 'with' : 'without'} an adapter`,
    );
  const engine = await openEngine({ ...options, ...engineAdapter(given, alsoAdapted, options), trains });
  const { files } = engine.backbone;
  if (given) checkAdapter(given, files, 'student');
  const adapter = given && liveAdapter(given);
  const own: PolicyParameters = {
    visual: projection && visualTokens(files, projection),
    adapter: () => adapter?.values() ?? null,
  };
  const groups = [
    ...(projection ? [{ name: 'projection', parameters: projection.parameters, learningRateScale: 1 }] : []),
    ...(adapter ? [{ name: 'adapter', parameters: adapter.parameters, learningRateScale: 1 }] : []),
  ];
  const questions = tokenQuestions(engine);
  return {
    modelIdentity: engine.modelIdentity,
    layers: engine.backbone.layers,
    projection: projection && projection.parameters,
    adapter,
    ...policyOf(engine, own),
    ...promptStates(engine, own),
    groups: groups.filter(({ name }) => train.includes(name as TrainedPart)),
    countAnswerTokens: engine.tokens.countAnswer,
    endToken: engine.tokens.endToken,
    needsPicture: needsPicture(files.config.llama),
    note: engine.note,
    gradient: (rows, loss) => lossGradient(engine, own, { rows, loss }),
    commit: () => {
      if (trains.projection) projection!.commit();
      if (trains.adapter) adapter!.commit();
      engine.backbone.forgetPrompts();
    },
    ...questions,
    beside: (adapter) => secondAdapter(engine, own.visual, adapter),
    under: (parameters, scale) => {
      const others = new Map([...parameters].filter(([name]) => !isOfAdapter(name)));
      const settings = scale ? { ...scale, rank: 1, dropout: 0 } : (given?.settings ?? null);
      const values = fixedValues(parameters, settings);
      engine.adapters.of(values);
      const fixed = projection && projection.under(others);
      const dispose = () => fixed?.dispose();
      try {
        return {
          ...policyOf(engine, { visual: fixed && visualTokens(files, fixed), adapter: () => values }),
          tokenTexts: questions.tokenTexts,
          dispose,
        };
      } catch (error) {
        dispose();
        throw error;
      }
    },
    dispose: async () => {
      await engine.dispose();
      projection?.dispose();
    },
  };
}

/** All parameters of a policy beside the frozen networks, trained or not. */
export function policyParameters({
  projection,
  adapter,
}: Pick<Student, 'projection' | 'adapter'>): ParameterSet {
  return new Map([...(projection ?? []), ...(adapter?.parameters ?? [])]);
}

/** The networks' adapter form: the student's projections and those of policies beside it. */
function engineAdapter(
  adapter: Adapter | null,
  others: readonly AdapterTarget[],
  { train = [], dropoutSeed: seed = '0' }: Pick<StudentOptions, 'train' | 'dropoutSeed'>,
): Required<Pick<EngineOptions, 'adapter' | 'dropout'>> {
  const targets = [...new Set([...(adapter?.settings.targets ?? []), ...others])];
  const rate = train.includes('adapter') ? adapter!.settings.dropout : 0;
  return {
    adapter: targets.length > 0 ? { targets, dropout: rate > 0 } : null,
    dropout: { rate, seed },
  };
}

function policyOf(engine: Engine, parameters: PolicyParameters): Policy & Scorer {
  return {
    encode: engine.encode,
    decide: (questions, sampling) => decide(engine, parameters, { questions, sampling }),
    countPromptTokens: (text) => engine.tokens.turn(text, engine.encode ? 1 : 0).tokens.length,
    score: (rows) => score(engine, parameters, rows),
    scoreWithEntropy: (rows) => scoreWithEntropy(engine, parameters, rows),
  };
}
