/** `emac play` for environments with numbered actions: gym-cards and MiniGrid. */
import type { Player } from '@emac/experiment';
import { writeFileAtomic } from '@emac/files';
import { encodeFilm, type Scene } from '@emac/images';
import { EmacError, type Seed, type StepEnvironment } from '@emac/core';
import { environmentId, openEnvironment, type StepAction } from '@emac/opening';
import { say, type Io } from '../terminal/io.ts';
import { lettingSignalsIn } from '../terminal/let-signals-in.ts';
import { hint, isAPersonThere, typedByAPerson } from '../terminal/typed-by-a-person.ts';
import { wrapped } from '../terminal/wrapped.ts';
import { numberedOrders, orderInWords, type Order } from './action-lines.ts';
import { askedCommands, givenCommands } from './given-commands.ts';
import { gridText } from './grid-text.ts';
import type { PlayValues } from './play-options.ts';
import { actionInWords, playedAction, resetOutcome, type Taken } from './played-action.ts';
import { shownFrames, usedForm } from './shown-frames.ts';
import { smallerFrame } from './smaller-frame.ts';
import { savePicture } from './step-pictures.ts';

/** Returns 0, or 130 after Ctrl-C at the prompt. Errors: `usage`, `missing`, `data`, `cannot-create`; errors of the agent. */
export async function playEnvironment(name: string, values: PlayValues, io: Io): Promise<number> {
  const { palette, 'max-steps': maxSteps, agent: watched } = values;
  if (watched !== null && values.commands !== null)
    throw new EmacError('usage', '--agent: chooses the actions itself; leave --commands out');
  if (watched === null) return playSteps(openEnvironment(name, { palette, maxSteps }), values, io);
  const { steppingAgent } = await import('./stepping-agent.ts');
  const agent = await steppingAgent(watched, { env: environmentId(name), palette, maxSteps }, io);
  try {
    return await playSteps(agent.environment, values, { ...io, agent });
  } finally {
    await agent.dispose();
  }
}

async function playSteps(
  environment: Played,
  values: PlayValues,
  { agent, ...io }: Io & { readonly agent?: Player },
): Promise<number> {
  const given = agent ? null : givenCommands(values, io);
  const isPerson = !agent && given === null && isAPersonThere(io);
  const show = shownSteps(environment, { ...values, isPerson }, io);
  let wasInterrupted = false;
  let last = begun(environment, values.seed ?? 0);
  let total = 0;
  await show.step(last);
  const interrupted = () => void (wasInterrupted = true);
  const { actions } = environment;
  const typed = () =>
    isPerson
      ? personalOrders(environment, interrupted, io)
      : numberedOrders(given ?? askedCommands(io), { from: placeOf(values), actions });
  for await (const order of lettingSignalsIn<Order<StepAction>>(agent ? ordersOf(agent) : typed())) {
    if (order.kind === 'action' && hasEnded(last))
      say(io.stderr, `${environment.id}: continued after its end`);
    last = order.kind === 'reset' ? begun(environment, order.seed) : stepped(environment, last, order.action);
    total = order.kind === 'reset' ? 0 : total + last.outcome.reward;
    await show.step(last);
    if (io.stdout.isClosed) break;
    if (given !== null || (!isPerson && !agent) || !hasEnded(last)) continue;
    if (!values.json) say(io.stdout, `\n${endInWords(last, total)}`);
    break;
  }
  show.finish();
  return wasInterrupted ? 130 : 0;
}

/** By action number, or by a robot's numbers. */
type Played = StepEnvironment<unknown, StepAction>;

async function* ordersOf(agent: Player): AsyncGenerator<Order<StepAction>> {
  for (;;) yield { kind: 'action', action: await agent.act() };
}

function begun(environment: Played, seed: Seed | null): Taken {
  return { step: 0, action: null, outcome: resetOutcome(environment.reset(seed)) };
}

function stepped(environment: Played, { step }: Taken, action: StepAction): Taken {
  return { step: step + 1, action, outcome: environment.step(action) };
}

function hasEnded({ outcome: { terminated, truncated } }: Taken): boolean {
  return terminated || truncated;
}

function placeOf({ commands }: PlayValues): string {
  return commands === null || commands === '-' ? 'standard input' : `--commands ${commands}`;
}

interface Shown extends Pick<PlayValues, 'json' | 'frames' | 'show' | 'gif'> {
  readonly isPerson: boolean;
}

/** Prints, saves and films steps. */
function shownSteps(
  environment: Played,
  { json, frames, show, gif, isPerson }: Shown,
  io: Io,
): { step(taken: Taken): Promise<void>; finish(): void } {
  const scenes: Scene[] = [];
  const showFrame = shownFrames(show, io);
  const hasPictures = usedForm(show, io) !== 'none';
  let pictures = 0;
  return {
    async step(taken) {
      if (frames !== null) await savePicture(frames, pictures++, environment.frame());
      if (gif !== null)
        scenes.push({
          frame: environment.frame(),
          caption: actionInWords(environment, taken).split('\n')[0]!,
        });
      if (isPerson) await showFrame((side) => smallerFrame(environment.frame(), side));
      if (json) return say(io.stdout, JSON.stringify(playedAction(environment, taken)));
      const words = actionInWords(environment, taken);
      say(io.stdout, isPerson ? wrapped(words, io.stdout.columns - 1) : words);
      const { image } = environment.observe();
      if (isPerson && image && !hasPictures) say(io.stdout, gridText(image));
    },
    finish() {
      if (gif !== null) writeFileAtomic(gif, encodeFilm(scenes));
    },
  };
}

async function* personalOrders(
  { id, actions }: Pick<Played, 'id' | 'actions'>,
  interrupted: () => void,
  io: Io,
): AsyncGenerator<Order> {
  say(io.stderr, wrapped(hint, io.stderr.columns));
  const help = `You play ${id}. Type one of the actions after another: ${actions.join(', ')}. reset begins again, reset and a number does so from that seed. Tab completes what you type, ? lists the actions, quit ends the game.`;
  for await (const line of typedByAPerson(io, { admissible: () => actions, interrupted, help })) {
    const order = orderInWords(line, actions);
    if (order !== null) yield order;
    else say(io.stderr, `${line.trim()}: is not an action; ? lists them`);
  }
}

function endInWords({ step, outcome: { info } }: Taken, total: number): string {
  const steps = step === 1 ? '1 step' : `${step} steps`;
  return `${info.won ? 'Well done: you won' : 'The end, not won'}, with a return of ${Number(total.toFixed(4))} in ${steps}.`;
}
