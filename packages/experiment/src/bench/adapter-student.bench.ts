/** A model with a drawn adapter on all its products, and rows of an episode of random commands, for benchmarks. */
import { Random, type GradientRow } from '@emac/core';
import { drawnAdapter, type Student } from '@emac/model';
import { openModel, openStudent, ownProjection, plainHost } from '@emac/opening';
import { modelSchema } from '@emac/settings';
import { openAgent } from '../agent.ts';
import { randomStates } from './random-episode.bench.ts';

export interface AdapterStudent {
  /** a folder, or `emma-tiny` */
  readonly path: string;
  readonly rows: 'steps' | 'episodes';
  readonly provider?: 'cpu' | 'webgpu' | 'cuda';
  readonly rank: number;
  readonly maxTokens: number;
}

const targets = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'] as const;

/** Only the adapter is trained; answers have up to 32 tokens. */
export async function adapterStudent(options: AdapterStudent): Promise<Student> {
  const { path, rows, provider = 'cpu', rank, maxTokens } = options;
  const model = await openModel(modelSchema.parse({ path, rows, provider }), plainHost());
  const settings = { rank, alpha: 2 * rank, dropout: 0, targets: [...targets], rankStabilized: false };
  const adapter = drawnAdapter(model.files.config, settings, Random.fromSeed('adapter'));
  return openStudent(
    model,
    { ...ownProjection(model.files), adapter },
    {
      generation: { beams: 1, minLength: 1, maxLength: 32 },
      text: { maxTokens, thoughts: false, observe: 'text' },
      train: ['adapter'],
      dropoutSeed: '0',
    },
  );
}

/** A row for each of an episode's first steps, answered by its random command. */
export async function episodeRows(path: string, count: number, maxTokens: number): Promise<GradientRow[]> {
  const agent = await openAgent(path, {
    speech: { observe: 'text', maxLength: 32, maxPromptTokens: maxTokens },
  });
  const rows: GradientRow[] = [];
  for (const { observation, history, command } of await randomStates(agent, count)) {
    const { prompt } = await agent.question({ ...observation, history });
    rows.push({ prompt, answers: [` ${command}`], weight: 1 / count });
  }
  await agent.dispose();
  return rows;
}

export function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)]!;
}
