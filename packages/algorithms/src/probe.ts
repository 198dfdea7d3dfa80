/**
 * A yardstick for training: the expert plays the training games once, and the labels of its steps are what loss is
 * measured on before, between and after. For preference training each step also needs a worse command: the student's
 * own where it differs, else another admissible one.
 */
import type { Expert, Features, Random, Student, WorldSource } from '@emac/core';
import { noFrame, type PolicyTexts } from './texts.ts';
import { expertHistory, type ThoughtOver } from './thoughts.ts';

export interface ProbeStep {
  readonly gameId: string;
  readonly step: number;
  readonly features: Features;
  readonly text: string;
  /** the expert's command */
  readonly label: string;
  /** a command other than the label; null when none is known */
  readonly rejected: string | null;
}

export interface ProbeCollection {
  readonly world: WorldSource;
  readonly expert: Expert;
  readonly student: Student;
  readonly texts: PolicyTexts;
  readonly maxSteps: number;
  readonly random: Random;
  /** also find rejected commands, by asking the student */
  readonly withRejected: boolean;
}

/** Lets the expert play every game of a world and returns its steps; an unusable label ends that game. */
export async function collectProbe(collection: ProbeCollection): Promise<ProbeStep[]> {
  const { world, expert, student, texts, maxSteps, random, withRejected } = collection;
  const steps: ProbeStep[] = [];
  for (let episode = await world.next(); episode; episode = await world.next()) {
    const { gameId, taskType } = episode;
    const turns: ThoughtOver[] = [];
    let { frame, admissible } = episode;
    for (let step = 0; step < maxSteps; step++) {
      const history = { initial: episode.observation, turns: [...turns] };
      const label = await expert.label({
        gameId,
        taskType,
        history: expertHistory(episode.observation, turns),
        memories: [],
        ...(admissible && { admissible }),
      });
      if (label.kind === 'unusable') break;
      const features = await student.features(frame ?? noFrame);
      const text = texts.prompt(history, []);
      const own = withRejected ? texts.command(await student.act(text, features)) : label.command;
      const stream = random.stream(gameId).stream(step);
      const rejected = withRejected
        ? rejectedCommand(label.command, own, { admissible, random: stream })
        : null;
      steps.push({ gameId, step, features, text, label: label.command, rejected });
      const answer = await episode.step(label.command);
      const { command, thoughts } = label;
      turns.push({ command, observation: answer.observation, ...(thoughts && { thoughts }) });
      ({ frame, admissible } = answer);
      if (answer.done) break;
    }
    await episode.skip();
  }
  return steps;
}

/** The student's own command where it differs from the expert's, else another admissible one, else null. */
export function rejectedCommand(
  label: string,
  own: string,
  { admissible, random }: { readonly admissible: readonly string[] | undefined; readonly random: Random },
): string | null {
  if (own !== label && own !== '') return own;
  const others = (admissible ?? []).filter((command) => command !== label);
  return others.length > 0 ? random.pick(others) : null;
}
