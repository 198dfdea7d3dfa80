/** A chat model spoken to in turns, by every way of training: its checkpoints say so, and resumed runs have the same bytes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readTurns } from '@emac/core';
import { onFailpoint } from '@emac/files';
import { plainHost } from '@emac/opening';
import { loadCheckpoint, resolveCheckpoint } from '@emac/runs';
import { textOf } from '@emac/rollout';
import type { GivenTrainConfig } from '@emac/settings';
import { alsoLong } from '@emac/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { openAgent } from '../agent.ts';
import { evaluatePolicy } from '../evaluation/evaluate-policy.ts';
import { trainGrpo } from '../grpo/train-grpo.ts';
import { resume } from '../methods.ts';
import { contentOf } from '../reinforcement/run-content.test.support.ts';
import { stoppedAndGoneOn } from '../reinforcement/stopped-run.test.support.ts';
import { trainPpo } from '../reinforcement/train-ppo.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { localWorkers } from '../workers/workers.test.support.ts';
import { train } from './train.ts';

const folder = temporaryFolder();
const model = fileURLToPath(new URL('../../../backbone/fixtures/text/llama', import.meta.url));
afterEach(() => onFailpoint(null));

const dialogueOf = (run: string): unknown => {
  const { state } = loadCheckpoint(resolveCheckpoint(run).folder);
  return (state as { policy: { text: { dialogue?: string } } }).policy.text.dialogue;
};

/** Kills a run at its second update, and returns its folder. */
async function killed(out: string, begun: () => Promise<unknown>): Promise<string> {
  let updates = 0;
  onFailpoint((name) => {
    if (name === 'updating' && ++updates === 2) throw new Error('killed');
  });
  await expect(begun()).rejects.toThrow('killed');
  onFailpoint(null);
  return join(out, readdirSync(out)[0]!);
}

const cloned = (name: string, changes: Partial<GivenTrainConfig> = {}) => ({
  phase: 'bc' as const,
  policy: model,
  model: { rows: 'episodes' as const },
  trained: { parts: 'lora' as const, rank: 2 },
  play: { rounds: 1, gamesPerRound: 2, maxSteps: 4 },
  optimization: { updatesPerEpisode: 2 },
  speech: { beams: 1, maxLength: 8, maxPromptTokens: 400, dialogue: 'turns' as const },
  evaluation: { episodes: 0 },
  ...changes,
  out: join(folder, name),
});

describe('imitation in turns', () => {
  it('resumes to the same bytes, and is evaluated as it was trained', async () => {
    const notes: string[] = [];
    const told = { ...plainHost(), listener: { note: (line: string) => void notes.push(line) } };
    const whole = await train(cloned('bc'), told);
    // LLaMA 3's conversation adds up, so nothing is said of it
    expect(notes.filter((line) => line.includes('--dialogue'))).toEqual([]);
    expect(dialogueOf(whole.folder)).toBe('turns');
    const given = cloned('bc-killed');
    const stopped = await killed(given.out, () => train(given));
    await resume(stopped);
    expect(contentOf(stopped)).toEqual(contentOf(whole.folder));

    const agent = await openAgent(whole.folder);
    const history = { initial: 'room', turns: [{ command: 'read', observation: 'It says:\n> go away' }] };
    const question = await agent.question({ frames: [], admissible: null, history });
    expect(readTurns(textOf(question.prompt))).toEqual(['room', 'read', 'It says:\n> go away']);
    // over 400 tokens the oldest commands go with their observations; the task stays
    const turns = Array.from({ length: 40 }, (_, step) => ({
      command: `go to desk ${step}`,
      observation: 'desk',
    }));
    const long = await agent.question({ frames: [], admissible: null, history: { initial: 'room', turns } });
    const kept = readTurns(textOf(long.prompt));
    expect(agent.student.countPromptTokens(textOf(long.prompt))).toBeLessThanOrEqual(400);
    expect(kept[0]).toBe('room');
    expect(kept.slice(-2)).toEqual(['go to desk 39', 'desk']);
    expect(kept.length).toBeGreaterThan(3);
    expect(kept.length).toBeLessThan(81);
    await agent.dispose();
    const speech = { beams: 1, maxLength: 4 };
    const evaluated = await evaluatePolicy(
      { ckpt: whole.folder, numGames: 1, maxSteps: 2, speech, out: null },
      plainHost(),
    );
    expect(evaluated).toMatchObject({ kind: 'games', result: { games: [{ steps: 2 }] } });
  });

  it('has the same bytes with workers, who read the same turns, and goes on to preferences', async () => {
    const both = async (name: string, given: Partial<GivenTrainConfig>) => {
      const alone = await train(cloned(`${name}-alone`, given));
      const workers = localWorkers(join(folder, `${name}-queue`), 2);
      const over = await train(cloned(`${name}-over`, given), { ...plainHost(), workers });
      expect((await workers.stop()).reduce((sum, { counted }) => sum + counted, 0)).toBeGreaterThan(0);
      expect(contentOf(over.folder)).toEqual(contentOf(alone.folder));
      return alone.folder;
    };
    const sharded = { updatesPerEpisode: 1, gradientShards: 2 };
    const ref = await both('bc', { optimization: sharded });
    const dpo = await both('dpo', {
      phase: 'dpo',
      start: { ref },
      optimization: sharded,
      speech: { beams: 1, maxLength: 8, maxPromptTokens: 400 },
    });
    // the reference's way of speaking
    expect(dialogueOf(dpo)).toBe('turns');
  });

  it.each(['qwen2_5_vl', ...alsoLong(['smolvlm', 'idefics3', 'llava', 'llava_next_mistral'])])(
    'shows %s the frame in the last turn',
    async (name) => {
      const path = fileURLToPath(new URL(`../../../backbone/fixtures/families/${name}`, import.meta.url));
      const notes: string[] = [];
      const given = cloned(name, { policy: path, optimization: { updatesPerEpisode: 1 } });
      const { folder: run } = await train(given, {
        ...plainHost(),
        listener: { note: (line: string) => void notes.push(line) },
      });
      expect(dialogueOf(run)).toBe('turns');
      expect(notes.filter((line) => line.includes('the picture stands in the last turn alone'))).toHaveLength(
        1,
      );
    },
  );

  it('reads other tokens than one message, which checkpoints do not name', async () => {
    const message = await train(
      cloned('message', { speech: { beams: 1, maxLength: 8, maxPromptTokens: 400 } }),
    );
    expect(dialogueOf(message.folder)).toBeUndefined();
    expect(readFileSync(join(message.folder, 'config.yaml'), 'utf8')).not.toContain('dialogue');
    const [one, other] = ['message', 'bc'].map((name) => {
      const run = join(folder, name, readdirSync(join(folder, name))[0]!);
      return readFileSync(join(run, 'metrics.jsonl'), 'utf8');
    });
    expect(one).not.toBe(other);
  });

  it('says where a conversation does not add up, and goes on', async () => {
    const notes: string[] = [];
    const qwen = fileURLToPath(new URL('../../../backbone/fixtures/text/qwen3', import.meta.url));
    const given = cloned('qwen3', { policy: qwen, optimization: { updatesPerEpisode: 1 } });
    await train(given, { ...plainHost(), listener: { note: (line: string) => void notes.push(line) } });
    expect(notes.filter((line) => line.startsWith('--dialogue turns: the chat template of'))).toHaveLength(1);
  });

  it('is refused for a model without a chat template, before there is a run', async () => {
    const base = fileURLToPath(new URL('../../../backbone/fixtures/text/mistral', import.meta.url));
    await expect(train(cloned('refused', { policy: base }))).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('has no chat template; add chat_template.jinja') as string,
    });
    expect(readdirSync(folder)).not.toContain('refused');
  });
});

it('PPO in turns resumes to the same bytes', async () => {
  const given = (out: string) => ({
    env: 'alfworld',
    policy: model,
    model: { rows: 'episodes' as const },
    play: { environments: 1, environmentSteps: 6, stepsPerUpdate: 3, maxSteps: 3 },
    optimization: { epochs: 1, minibatchSize: 3, valueInitSteps: 0, targetKl: null },
    trained: { rank: 2 },
    value: { hiddenWidths: [4] },
    speech: { maxLength: 6, maxPromptTokens: 400, dialogue: 'turns' as const },
    evaluation: { episodes: 0 },
    checkpointEvery: 1,
    out: join(folder, out),
  });
  const whole = await trainPpo(given('ppo'));
  expect(dialogueOf(whole.folder)).toBe('turns');
  const resumed = await stoppedAndGoneOn(given('ppo-stopped'), 1);
  expect(contentOf(resumed)).toEqual(contentOf(whole.folder));
});

it.each(['group', ...alsoLong(['steps', 'history'] as const)] as const)(
  'GRPO by %s in turns resumes to the same bytes',
  async (advantages) => {
    const given = (out: string) => ({
      env: 'alfworld',
      policy: model,
      play: { updates: 2, promptsPerUpdate: 1, groupSize: 2, maxSteps: 2 },
      losses: { maxLength: 6, advantages },
      trained: { rank: 2 },
      speech: { maxPromptTokens: 400, dialogue: 'turns' as const },
      evaluation: { episodes: 0 },
      checkpointEvery: 1,
      out: join(folder, `${advantages}-${out}`),
    });
    const whole = await trainGrpo(given('whole'));
    expect(dialogueOf(whole.folder)).toBe('turns');
    const { out } = given('killed');
    const stopped = await killed(out, () => trainGrpo(given('killed')));
    await resume(stopped);
    expect(contentOf(stopped)).toEqual(contentOf(whole.folder));
  },
);
