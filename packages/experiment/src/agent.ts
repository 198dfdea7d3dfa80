/** A trained policy that acts, as a program uses it: opened by the name of its run, checkpoint or model. */
import {
  EmacError,
  Random,
  type Answer,
  type Environment,
  type History,
  type Observation,
  type Question,
  type Sampling,
  type Trajectory,
} from '@emac/core';
import {
  actingIn,
  gamesKind,
  kindEnvironment,
  openKind,
  openPolicy,
  parallelOf,
  plainHost,
  type Host,
  type EvaluatedPolicy,
} from '@emac/opening';
import { allowedAnswers, handedOver, playAlone, promptAt } from '@emac/rollout';
import type { Situation } from '@emac/bridge';
import { evaluationConfig } from '@emac/settings';
import type { Game } from '@emac/world';
import { answersLike, scoredAnswers, type Weighed } from './played/weighed.ts';

export interface Agent extends Pick<EvaluatedPolicy, 'student' | 'form' | 'trainedOn'> {
  /** its environment */
  readonly env: string;
  /**
   * The command at a state: the current observation, and the history before it. Errors: `unavailable` if a policy
   * restricted to admissible commands gets an observation without them.
   */
  act(observation: Pick<Observation, 'frames' | 'admissible' | 'arrays'>, history: History): Promise<string>;
  /**
   * The policy's question at a state, for callers that batch questions; `admissibleOnly` defaults as trained. Errors:
   * as `act`.
   */
  question(situation: Situation, options?: QuestionOptions): Promise<Question>;
  /** What it makes of a state; with `prompt`, as if that text stood after the pictures in place of its own. Errors: as `act`. */
  weigh(situation: Situation, prompt?: string): Promise<Weighed>;
  /** its answer that says a command at a state */
  target(command: string, observation: Observation): string;
  /** how its answers are chosen */
  readonly sampling: Sampling;
  /** the command in the policy's answer; the whole answer if it names none */
  command(answer: Answer): string;
  /** games of ALFWorld as in the agent's training: with pictures, and with thoughts if it learned to think */
  environment(games: readonly Game[]): Environment;
  /** one attempt at every task of an environment, several at a time; without pictures if the agent reads texts only */
  play(environment: Environment): Promise<Trajectory[]>;
  dispose(): Promise<void>;
}

export interface QuestionOptions {
  readonly admissibleOnly?: boolean;
  /** generator of sampled answers; default null */
  readonly random?: Random | null;
}

export type AgentOptions = Omit<
  Parameters<typeof evaluationConfig>[0],
  'ckpt' | 'out' | 'data' | 'images' | 'games' | 'numGames'
> & {
  /** the environment; default the training environment */
  readonly env?: string | null;
};

/**
 * Opens a policy by the name `emac eval --ckpt` takes, with its environment's texts. Errors: `missing`, `data`,
 * `unavailable`, `config`; `usage` also for a policy without texts.
 */
export async function openAgent(
  ckpt: string,
  { env: asked = null, ...options }: AgentOptions = {},
  host: Pick<Host, 'env' | 'environment' | 'memory'> = plainHost(),
): Promise<Agent> {
  const config = evaluationConfig({ ...options, ckpt });
  const { env, palette, speech, wordless } = actingIn(ckpt, asked);
  if (wordless !== null)
    throw new EmacError(
      'usage',
      `--ckpt ${ckpt}: ${wordless}; evaluate it with emac eval, or watch it with emac play ${env} --agent ${ckpt}`,
    );
  const kind = await openKind({ env, palette, maxSteps: null }, host.environment ?? null);
  const { student, form, trainedOn } = await openPolicy({ ...config, env, dialogue: kind.dialogue }, host);
  const texts = kind.speech(student, { ...form.text, ...speech });
  const sampling = { kind: 'search', beams: form.generation.beams } as const;
  const { maxSteps, admissibleOnly } = form;
  const command: Agent['command'] = (answer) => handedOver(answer, texts.read(answer, null));
  const seenIn = ({ history, ...observation }: Situation): Observation => {
    const frames = form.text.observe === 'text' ? [] : observation.frames;
    return { text: textNow(history), ...observation, frames };
  };
  const promptIn = (situation: Situation): string =>
    texts.prompt({ history: situation.history, observation: seenIn(situation), memories: [] });
  const asking = async (situation: Situation, text: string, asked: QuestionOptions): Promise<Question> => {
    const seen = seenIn(situation);
    const allowed = allowedAnswers(seen, { texts, admissibleOnly: asked.admissibleOnly ?? admissibleOnly });
    const prompt = await promptAt(student, seen, text);
    return { prompt, allowed, random: asked.random ?? null, ...(texts.stop && { stop: texts.stop }) };
  };
  const question: Agent['question'] = (situation, asked = {}) =>
    asking(situation, promptIn(situation), asked);
  return {
    env,
    student,
    form,
    trainedOn,
    sampling,
    question,
    command,
    target: (said, observation) => texts.target(said, observation),
    async weigh(situation, prompt = promptIn(situation)) {
      const asked = await asking(situation, prompt, {});
      const [answer] = await student.decide([asked], sampling);
      const { text } = answer!;
      const [action, admissible] = [command(answer!), situation.admissible ?? []];
      const seen = seenIn(situation);
      const like = form.text.thoughts || speech.thoughts ? answersLike(text, action, admissible) : null;
      const answers = like ?? admissible.map((each) => texts.target(each, seen));
      const isListed = admissible.length > 0;
      const logProbabilities = isListed ? await scoredAnswers(student, asked.prompt, answers) : null;
      return { action, logProbabilities, prompt, answer: text };
    },
    async act(observation, history) {
      const [answer] = await student.decide([await question({ ...observation, history })], sampling);
      return command(answer!);
    },
    environment: (games) => ({
      tasks: games.map(({ id, taskType }) => ({ id, type: taskType })),
      ...kindEnvironment(gamesKind(games, maxSteps), form.text),
    }),
    play: (environment) =>
      playAlone({
        environment: {
          ...environment,
          ...kindEnvironment({ begin: environment.begin.bind(environment), hasGoal: true }, form.text),
        },
        policy: student,
        texts,
        sampling,
        maxSteps,
        admissibleOnly,
        random: Random.fromSeed(0),
        parallel: config.parallelEpisodes ?? parallelOf(student),
      }),
    dispose: async () => {
      await student.dispose();
      await kind.close?.();
    },
  };
}

/** The last observation's text. */
function textNow({ initial, turns }: History): string {
  return turns.at(-1)?.observation ?? initial;
}
