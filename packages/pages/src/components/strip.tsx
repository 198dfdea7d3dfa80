/** An episode as a strip of pictures, with the words of policy, expert and environment. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { EpisodeHead, EpisodeView, StepView } from '../data/run-view.ts';
import { counted } from '../data/words.ts';
import { Outcome } from './marks.tsx';

/** Address of a picture; null if it is not there. */
export type FrameAddress = (file: string) => string | null;

/** One line about an episode's course. */
export function EpisodeWords({ head }: { readonly head: EpisodeHead }) {
  const { episode, round, taskId, taskType, won, expertWon, steps } = head;
  const place = round === null ? `game ${episode + 1}` : `round ${round + 1}, episode ${episode + 1}`;
  return (
    <>
      <Outcome won={won} expertWon={expertWon} />
      {` in ${counted(steps, 'step')}: ${taskType ?? taskId} `}
      <span class="soft">{`(${taskType === null ? place : `${place}, ${taskId}`})`}</span>
    </>
  );
}

export function Strip({ view, frame }: { readonly view: EpisodeView; readonly frame: FrameAddress }) {
  const { observation, frames, shown, parts } = view;
  const strip = useRef<HTMLOListElement>(null);
  // it opens where policy and expert first differ, with the step before in sight
  useEffect(() => {
    const before = parts === null ? undefined : strip.current!.children[parts];
    if (before) strip.current!.scrollLeft = (before as HTMLElement).offsetLeft - strip.current!.offsetLeft;
  }, []);
  return (
    <ol class="strip" ref={strip} tabIndex={0} aria-label="steps of the episode">
      <li>
        <Pictures files={frames} when="before the first step" frame={frame} />
        <dl>
          <Said term="first observation">{observation}</Said>
        </dl>
      </li>
      {shown.map((step, index) => (
        <li class={index === parts ? 'parts' : ''}>
          <Pictures files={step.frames} when={`after step ${index + 1}`} frame={frame} />
          <StepWords step={step} number={index + 1} />
        </li>
      ))}
    </ol>
  );
}

/** Who said what at a step. */
export function StepWords({ step, number }: { readonly step: StepView; readonly number: number }) {
  const { command, own, label, reason, reward, thoughts, observation } = step;
  return (
    <dl>
      <Said term="step">{number}</Said>
      {own !== null && <Said term="policy">{own}</Said>}
      {thoughts.map((thought) => (
        <Said term="expert’s thought">{thought}</Said>
      ))}
      {label !== null && <Said term="expert">{label}</Said>}
      {label === null && reason !== null && (
        <Said term="expert">
          <span class="soft">{`no usable label: ${reason}`}</span>
        </Said>
      )}
      {command !== own && <Said term="done">{command}</Said>}
      {reward !== null && <Said term="reward">{reward}</Said>}
      <Said term="observation">{observation}</Said>
    </dl>
  );
}

function Said({ term, children }: { readonly term: string; readonly children: ComponentChildren }) {
  return (
    <>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </>
  );
}

interface PicturesProps {
  readonly files: readonly string[];
  readonly when: string;
  readonly frame: FrameAddress;
}

export function Pictures({ files, when, frame }: PicturesProps) {
  return (
    <>
      {files.map((file) => (
        <img src={frame(file) ?? undefined} alt={`what is seen ${when}`} width={224} height={224} />
      ))}
    </>
  );
}
