/**
 * EMMA: a frozen eye and a frozen language model with a trainable projection between them (arXiv 2311.16714). The student
 * acts, scores and learns under its own parameters; the same networks act and score under any others.
 */
import type { LayerPlace, TextTokenizer } from '@emac/backbone';
import type { ParameterSet, Policy, Scorer, Trainable } from '@emac/core';
import { openEngine, type Engine, type EngineOptions } from './engine.ts';
import { decide } from './generation.ts';
import { lossGradient } from './loss-gradient.ts';
import type { Projection } from './projection.ts';
import { score } from './scoring.ts';
import { visualTokens, type VisualTokens } from './visual-tokens.ts';

export interface StudentOptions extends EngineOptions {
  /** disposed with the student */
  readonly projection: Projection;
}

/** Acts and scores under parameters that stay as they were given, such as a reference policy's. */
export interface FixedPolicy extends Policy, Scorer {
  /** frees its own parameters; the networks are the student's */
  dispose(): void;
}

/**
 * A policy that learns. Calls may overlap; `commit` counts for what begins after it, so call it while neither `score`
 * nor `gradient` is under way.
 */
export interface Student extends Policy, Trainable {
  /** identity of the frozen networks; recorded in checkpoints and checked */
  readonly modelIdentity: string;
  /** where the language model's layers are */
  readonly layers: LayerPlace;
  /**
   * The same networks in the same sessions under other parameters, which are copied. Errors: `data` for parameters that
   * are no projection of this model.
   */
  under(parameters: ParameterSet): FixedPolicy;
  /** What each token adds to an answer's text: nothing for a special one. Together they are the text. */
  tokenTexts(tokens: readonly number[]): readonly string[];
  dispose(): Promise<void>;
}

/** Opens a student. Errors: those of `openEngine`; `data` when the projection does not fit the model. */
export async function createStudent(options: StudentOptions): Promise<Student> {
  const { projection } = options;
  const engine = await openEngine(options);
  const visual = visualTokens(engine.backbone.files, projection);
  return {
    modelIdentity: engine.modelIdentity,
    layers: engine.backbone.layers,
    ...policyOf(engine, visual),
    groups: [{ name: 'projection', parameters: projection.parameters, learningRateScale: 1 }],
    countAnswerTokens: engine.tokens.countAnswer,
    gradient: (rows, loss) => lossGradient(engine, visual, { rows, loss }),
    commit: () => projection.commit(),
    tokenTexts: (tokens) => tokenTexts(engine.backbone.tokenizer(), tokens),
    under: (parameters) => {
      const fixed = projection.under(parameters);
      const dispose = () => fixed.dispose();
      try {
        return { ...policyOf(engine, visualTokens(engine.backbone.files, fixed)), dispose };
      } catch (error) {
        dispose();
        throw error;
      }
    },
    dispose: async () => {
      await engine.dispose();
      projection.dispose();
    },
  };
}

function policyOf(engine: Engine, visual: VisualTokens): Policy & Scorer {
  return {
    encode: engine.encode,
    decide: (questions, sampling) => decide(engine, visual, { questions, sampling }),
    countPromptTokens: (text) => engine.tokens.turn(text, 1).tokens.length,
    score: (rows) => score(engine, visual, rows),
  };
}

/** Tokens may hold parts of a character: what is text is known of their beginnings only. */
function tokenTexts(tokenizer: Pick<TextTokenizer, 'decode'>, tokens: readonly number[]): readonly string[] {
  const beginnings = tokens.map((_, place) => tokenizer.decode(tokens.slice(0, place + 1)));
  return beginnings.map((text, place) => text.slice(beginnings[place - 1]?.length ?? 0));
}
