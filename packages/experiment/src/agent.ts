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
  gamesEnvironment,
  givenEnvironment,
  openPolicy,
  openTrained,
  parallelOf,
  plainHost,
  speechIn,
  type Host,
  type OpenedPolicy,
} from '@emac/opening';
import { allowedAnswers, handedOver, playAlone, promptAt } from '@emac/rollout';
import type { Situation } from '@emac/bridge';
import { evaluationConfig } from '@emac/settings';
import type { Game } from '@emac/world';

export interface Agent extends Pick<OpenedPolicy, 'student' | 'form' | 'trainedOn'> {
  /** where it acts */
  readonly env: string;
  /**
   * The command at a state: what is seen now, and the history that led there. Errors: `unavailable` for a policy that is
   * kept to admissible commands, where the observation has none.
   */
  act(observation: Pick<Observation, 'frames' | 'admissible' | 'arrays'>, history: History): Promise<string>;
  /**
   * What its policy is asked at a state, for whoever asks several questions at once; `admissibleOnly` without it as it was
   * trained. Errors: as `act`'s.
   */
  question(situation: Situation, options?: QuestionOptions): Promise<Question>;
  /** how its answers are chosen */
  readonly sampling: Sampling;
  /** the command in what its policy said; all of it where it names none */
  command(answer: Answer): string;
  /** games of ALFWorld as the agent was trained to see them: with pictures, and with thoughts where it learned to think */
  environment(games: readonly Game[]): Environment;
  /** one attempt at every task of an environment, several at a time; without its pictures where the agent reads texts alone */
  play(environment: Environment): Promise<Trajectory[]>;
  dispose(): Promise<void>;
}

export interface QuestionOptions {
  readonly admissibleOnly?: boolean;
  /** what a sampled answer is drawn with; default null */
  readonly random?: Random | null;
}

type AgentOptions = Omit<
  Parameters<typeof evaluationConfig>[0],
  'ckpt' | 'out' | 'data' | 'images' | 'games' | 'numGames'
> & {
  /** where it acts; without it where it was trained */
  readonly env?: string | null;
};

/**
 * Opens a policy by what `emac eval --ckpt` takes, with the words of its environment. Errors: `missing`, `data`, `unavailable`, `config`; `usage` also for a
 * policy that cannot be asked in words.
 */
export async function openAgent(
  ckpt: string,
  { env: asked = null, ...options }: AgentOptions = {},
  host: Pick<Host, 'env' | 'environment'> = plainHost(),
): Promise<Agent> {
  const config = evaluationConfig({ ...options, ckpt });
  const { env, palette, speech, wordless } = actingIn(ckpt, asked);
  if (wordless !== null)
    throw new EmacError(
      'usage',
      `--ckpt ${ckpt}: ${wordless}; evaluate it with emac eval, or watch it with emac play ${env} --agent ${ckpt}`,
    );
  const kind = await openTrained({ env, palette, maxSteps: null }, host.environment ?? null);
  const { student, form, trainedOn } = await openPolicy(config, host);
  const texts = speechIn(kind, student, { ...form.text, ...speech });
  const sampling = { kind: 'search', beams: form.generation.beams } as const;
  const { maxSteps, admissibleOnly } = form;
  const command: Agent['command'] = (answer) => handedOver(answer, texts.read(answer, null));
  const question: Agent['question'] = async ({ history, ...observation }, asked = {}) => {
    const only = asked.admissibleOnly ?? admissibleOnly;
    const frames = form.text.observe === 'text' ? [] : observation.frames;
    const seen = { text: textNow(history), ...observation, frames };
    const allowed = allowedAnswers(seen, { texts, admissibleOnly: only });
    const text = texts.prompt({ history, observation: seen, memories: [] });
    const prompt = await promptAt(student, seen, text);
    return { prompt, allowed, random: asked.random ?? null, ...(texts.stop && { stop: texts.stop }) };
  };
  return {
    env,
    student,
    form,
    trainedOn,
    sampling,
    question,
    command,
    async act(observation, history) {
      const [answer] = await student.decide([await question({ ...observation, history })], sampling);
      return command(answer!);
    },
    environment: (games) => gamesEnvironment(games, form),
    play: (environment) =>
      playAlone({
        environment: givenEnvironment(environment, form.text),
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
      await kind?.close?.();
    },
  };
}

/** What was seen last, in words. */
function textNow({ initial, turns }: History): string {
  return turns.at(-1)?.observation ?? initial;
}
