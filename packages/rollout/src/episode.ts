/** One episode of a rollout, step by step. Steps made before an interruption are replayed as they were. */
import {
  EmacError,
  LostEpisode,
  type Answer,
  type Episode,
  type Label,
  type Observation,
  type Question,
  type Random,
  type Trajectory,
  type TrajectoryEnd,
  type TrajectoryStep,
} from '@emac/core';
import { allowedAnswers } from './allowed-answers.ts';
import { repeatsItself } from './repetition.ts';
import type { Attempt, MadeStep, Rollout } from './attempt.ts';
import { handedOver, promptAt } from './texts.ts';
import { expertHistory, historyOf } from './thoughts.ts';

/** Parts an episode shares with the others. */
export interface Together {
  /** the policy's answer, computed in one batch with the other episodes' questions */
  readonly decide: (question: Question) => Promise<Answer>;
  /** throws if the episode must stop */
  readonly stopIfAsked: () => void;
}

/** Plays one attempt to its end, or until its environment fails. */
export async function playEpisode(
  rollout: Rollout,
  attempt: Attempt,
  together: Together,
): Promise<Trajectory> {
  const { environment, report } = rollout;
  const { task, number, random, seed = random.path } = attempt;
  const steps: TrajectoryStep[] = [];
  let episode: Episode | null = null;
  try {
    let ending: Pick<Trajectory, 'end' | 'won' | 'fault'>;
    try {
      episode = await environment.begin(task, seed);
      await report?.({ kind: 'episode-start', number, task, first: episode.first });
      let end: TrajectoryEnd | null = null;
      while (end === null) {
        const step = await nextStep(rollout, attempt, { episode, steps, together });
        if (step) {
          steps.push(step);
          await report?.({ kind: 'step', number, task, index: steps.length - 1, step });
        }
        end = step ? endAfter(rollout, steps) : 'unlabelled';
      }
      ending = { end, won: steps.at(-1)?.result.info.won ?? false };
    } catch (thrown) {
      if (!(thrown instanceof LostEpisode)) throw thrown;
      if (!episode) await report?.({ kind: 'episode-start', number, task, first: nothingSeen });
      ending = { end: 'lost', won: false, fault: thrown.message };
    }
    const trajectory = { task, first: episode?.first ?? nothingSeen, steps, ...ending };
    await report?.({ kind: 'episode-end', number, trajectory });
    return trajectory;
  } finally {
    await episode?.close();
  }
}

const nothingSeen: Observation = { text: '', frames: [], admissible: null };

interface UnderWay {
  readonly episode: Episode;
  readonly steps: readonly TrajectoryStep[];
  readonly together: Together;
}

/** Decides and acts; null if a label needed for acting is not available. */
async function nextStep(
  rollout: Rollout,
  attempt: Attempt,
  { episode, steps, together }: UnderWay,
): Promise<TrajectoryStep | null> {
  const observation = steps.at(-1)?.result.observation ?? episode.first;
  const made = attempt.made[steps.length];
  if (!made) together.stopIfAsked();
  const said = await decision(rollout, attempt, { episode, steps, observation, made, together });
  const { own, handed } = readingOf(rollout, said.answer, attempt.random.stream('read').stream(steps.length));
  const actor = made ? actorOf(made.action, handed) : drawActor(attempt, steps.length);
  const wanted = labelled(said.label);
  const action =
    made?.action ??
    randomAction(rollout, attempt, { admissible: observation.admissible, index: steps.length }) ??
    (actor === 'expert' ? (wanted ?? handed) : handed);
  if (action === null) return null;
  const result = await episode.step(action, said.answer);
  const step = { ...said, observation, own, action, actor: actorOf(action, handed), result };
  if (made) requireSameAnswer(attempt.task.id, made, result.observation.text);
  else
    attempt.made.push({
      answer: said.answer,
      label: said.label,
      action,
      observation: result.observation.text,
    });
  return step;
}

/** Draws policy or expert with the attempt's probability; one generator per step. */
function drawActor({ expertShare, random }: Attempt, index: number): TrajectoryStep['actor'] {
  return random.stream('actor').stream(index).uniform() < expertShare ? 'expert' : 'policy';
}

/** Null if this step is not one of the random ones. */
function randomAction(
  { randomActions = 0 }: Rollout,
  { random }: Attempt,
  { admissible, index }: Pick<Observation, 'admissible'> & { readonly index: number },
): string | null {
  if (randomActions === 0 || !admissible || admissible.length === 0) return null;
  const own = random.stream('random action').stream(index);
  return own.uniform() < randomActions ? admissible[own.integer(admissible.length)]! : null;
}

/** The action in an answer and the text given to the environment; both null if the policy was not asked. */
function readingOf(
  { texts, sampling }: Rollout,
  answer: Answer | null,
  random: Random,
): { readonly own: string | null; readonly handed: string | null } {
  if (answer === null) return { own: null, handed: null };
  const said = texts.read(answer, sampling.kind === 'sample' ? random : null);
  return { own: said.action, handed: handedOver(answer, said) };
}

/** The policy counts as actor if it said the action itself. */
function actorOf(action: string, own: string | null): TrajectoryStep['actor'] {
  return action === own ? 'policy' : 'expert';
}

interface Situation extends UnderWay {
  readonly observation: Observation;
  /** the answers of this step before an interruption */
  readonly made: MadeStep | undefined;
}

/** Asks policy and expert at the same time. */
async function decision(
  rollout: Rollout,
  attempt: Attempt,
  { episode, steps, observation, made, together }: Situation,
): Promise<Pick<TrajectoryStep, 'prompt' | 'answer' | 'label'>> {
  const { policy, texts, expert, asksPolicy } = rollout;
  const { task, memories, random } = attempt;
  const initial = episode.first.text;
  const text = texts.prompt({
    history: historyOf(initial, steps),
    observation,
    memories: rollout.policyMemory ? memories : [],
  });
  const prompt = await promptAt(policy, observation, text);
  if (made) return { prompt, answer: made.answer, label: made.label };
  const { admissible } = observation;
  const question = (): Question => {
    return {
      prompt,
      allowed: allowedAnswers(observation, rollout),
      random: random.stream('answer').stream(steps.length),
      ...(texts.stop && { stop: texts.stop }),
      ...texts.endOf?.(observation),
    };
  };
  const deciding = asksPolicy ? together.decide(question()) : Promise.resolve(null);
  const reading = random.stream('read').stream(steps.length);
  const choice = deciding.then(
    (answer) => readingOf(rollout, answer, reading).own,
    () => null,
  );
  const asked = { task, history: expertHistory(initial, steps), memories, admissible };
  const [answering, labelling] = await Promise.allSettled([
    deciding,
    expert ? expert.label(asked, { observation, choice }) : null,
  ]);
  const [answer, label] = [settled(answering), settled(labelling)];
  return { prompt, answer, label };
}

/** Throws a fault only after all work has ended: a policy must not be closed while it works. */
function settled<T>(outcome: PromiseSettledResult<T>): T {
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}

function endAfter(rollout: Rollout, steps: readonly TrajectoryStep[]): TrajectoryEnd | null {
  const { terminated, truncated } = steps.at(-1)!.result;
  if (terminated) return 'terminated';
  if (truncated || steps.length >= rollout.maxSteps) return 'truncated';
  return rollout.stopRepeating && repeatsItself(steps.map(({ action }) => action)) ? 'repeated' : null;
}

function requireSameAnswer(taskId: string, { action, observation }: MadeStep, found: string): void {
  if (found === observation) return;
  const answers = `${JSON.stringify(observation)} before the interruption and ${JSON.stringify(found)} now`;
  throw new EmacError(
    'data',
    `rollout: ${taskId} must answer "${action}" as before, got ${answers}; start a new run`,
  );
}

/** The expert's command; null for an unusable reply or without an expert. */
export function labelled(label: Label | null): string | null {
  return label?.kind === 'action' ? label.command : null;
}
