/** Runs with thoughts, with custom texts for the language model, and with a failing reflection. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';

const folder = temporaryFolder();
const small =
  '--phase bc --rounds 1 --games-per-round 1 --max-steps 4 --updates-per-episode 1 --beams 1 --probe none';

function lines(path: string): Record<string, unknown>[] {
  const text = readFileSync(path, 'utf8').trim();
  return text.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
}

async function train(name: string, flags: readonly string[], env = {}) {
  const out = join(folder, name);
  const argv = ['train', ...small.split(' '), '--eval-games', '0', '--out', out, ...flags];
  const { status, stderr } = await emac(argv, { env });
  return { status, stderr, run: join(out, readdirSync(out)[0]!) };
}

const checkpointOf = (run: string): string =>
  join(run, 'checkpoints', readFileSync(join(run, 'checkpoints', 'latest'), 'utf8').trim());

const stepsOf = (run: string) =>
  lines(join(run, 'episodes', '000000.jsonl')).filter(({ kind }) => kind === 'step');

describe('emac train --imitate-thoughts', () => {
  it('labels, answers, trains and evaluates with thoughts', async () => {
    const { status, run } = await train('thinking', ['--imitate-thoughts', '--act-with', 'expert']);
    expect(status).toBe(0);
    const steps = stepsOf(run);
    expect(steps[0]!['label']).toMatch(/^think: I have to find /);
    expect(steps[0]).toMatchObject({ command: steps[0]!['label'], observation: 'OK.' });
    expect(steps[1]!['label']).toMatch(/^go to /);
    const state = JSON.parse(readFileSync(join(checkpointOf(run), 'state.json'), 'utf8')) as {
      policy: { text: { thoughts: boolean } };
    };
    expect(state.policy.text.thoughts).toBe(true);
    const evaluated = await emac(['eval', '--ckpt', run, '--num-games', '1', '--max-steps', '2']);
    expect(evaluated.status).toBe(0);
  });
});

interface Asked {
  readonly model: string;
  readonly messages: { readonly role: string; readonly content: string }[];
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
}

/** A chat service; null for a failed request. */
async function chatService(answer: (asked: Asked) => string | null) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Asked;
    asked.push(body);
    const content = answer(body);
    const choices = [{ message: { role: 'assistant', content }, finish_reason: 'stop' }];
    // a service down for longer than a call may take is not called again: the test waits for nothing
    const headers = { 'content-type': 'application/json', 'retry-after': '3600' };
    response.writeHead(content === null ? 500 : 200, headers);
    response.end(JSON.stringify(content === null ? {} : { choices }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return {
    asked,
    flags: ['--expert', 'openai', '--expert-model', 'labeller', '--expert-base-url', url],
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function textFiles() {
  const names = ['put', 'clean', 'heat', 'cool', 'puttwo', 'examine'];
  const episodes = names.flatMap((name) =>
    [0, 1, 2].map((number) => [`react_${name}_${number}`, `EPISODE ${number}\n> look\nYou see.\n`]),
  );
  const [prompts, failures] = [join(folder, 'prompts.json'), join(folder, 'failures.txt')];
  writeFileSync(prompts, JSON.stringify(Object.fromEntries(episodes)));
  writeFileSync(failures, 'Room.\n> look\nSTATUS: FAIL\nNew plan: OWN PLAN\n');
  return ['--expert-prompts', prompts, '--reflection-examples', failures];
}

describe('emac train --expert openai', () => {
  it('shows custom example episodes, and asks another model to reflect on failures', async () => {
    await using service = await chatService(({ model }) =>
      model === 'labeller' ? 'think: it may be here\nlook' : 'Next time I open the drawer.',
    );
    const flags = [...service.flags, ...textFiles(), '--reflection-model', 'reflector'];
    const { status, run } = await train('own-texts', flags);
    expect(status).toBe(0);
    const labels = service.asked.filter(({ model }) => model === 'labeller');
    expect(labels[0]!.messages[0]!.content).toMatch(/EPISODE 1\n> look\nYou see\.\n\nEPISODE 0\n> look/);
    expect(labels[0]!.messages[0]!.content).not.toContain('EPISODE 2');
    // an expert's thought stays in its history at the next state, never in the student's
    const next = labels.find(({ messages }) => messages.length > 2)!;
    expect(next.messages.map(({ content }) => content)).toContain('think: it may be here');
    expect(stepsOf(run)[0]).toMatchObject({ label: 'look', thoughts: ['it may be here'] });
    const reflections = service.asked.filter(({ model }) => model === 'reflector');
    expect(reflections).toHaveLength(1);
    const [system, query] = reflections[0]!.messages;
    expect(system).toMatchObject({ role: 'system' });
    expect(query!.content).toContain('New plan: OWN PLAN');
    expect(query!.content).not.toContain('it may be here');
    expect(reflections[0]!.max_tokens ?? reflections[0]!.max_completion_tokens).toBe(256);
    const lesson = lines(join(run, 'events.jsonl')).find(({ kind }) => kind === 'lesson');
    expect(lesson).toMatchObject({ lesson: 'Next time I open the drawer.' });
  });

  it.each([
    ['two episodes of ours', [], 2],
    ['one of ours', ['--expert-examples', '1'], 1],
    ['no episode', ['--expert-examples', '0'], 0],
  ])('shows %s', async (_name, flags, count) => {
    await using service = await chatService(() => 'look');
    const { status } = await train(`examples-${count}`, [...service.flags, ...flags]);
    expect(status).toBe(0);
    const [system] = service.asked[0]!.messages;
    expect(system!.content.match(/^Your task is to: /gm) ?? []).toHaveLength(count);
  });

  it.each([
    [1, ['EPISODE 0']],
    [3, ['EPISODE 2', 'EPISODE 1', 'EPISODE 0']],
  ])('shows %i custom example episodes, number 0 last', async (count, shown) => {
    await using service = await chatService(() => 'look');
    const flags = [...service.flags, ...textFiles(), '--expert-examples', String(count)];
    const { status } = await train(`own-${count}`, flags);
    expect(status).toBe(0);
    expect(service.asked[0]!.messages[0]!.content.match(/^EPISODE \d/gm)).toEqual(shown);
  });

  it.each([
    [3, [], 'at most 2, which are built in for every task type, got 3'],
    [4, textFiles(), /at most 3, which --expert-prompts .*prompts\.json has for every task type, got 4/],
  ])('refuses %i episodes where there are fewer', async (count, own, rule) => {
    const given = ['--expert', 'openai', '--expert-model', 'x', '--expert-base-url', 'http://127.0.0.1:9/v1'];
    const out = join(folder, `too-many-${count}`);
    const argv = ['train', ...small.split(' '), ...given, ...own, '--expert-examples', String(count)];
    const { status, stderr } = await emac([...argv, '--out', out]);
    expect(status).toBe(64);
    expect(stderr).toMatch(rule);
    expect(existsSync(out)).toBe(false);
  });

  it('loses one lesson to a failed reflection, not the round', async () => {
    await using service = await chatService(({ model }) => (model === 'labeller' ? 'look' : null));
    const flags = [...service.flags, '--reflection-model', 'reflector', '--expert-deadline', '100'];
    const { status, run, stderr } = await train('no-reflection', flags);
    expect(status).toBe(0);
    const failed = lines(join(run, 'events.jsonl')).find(({ kind }) => kind === 'reflection-failed');
    expect(failed!['gameId']).toBe(
      lines(join(run, 'events.jsonl')).find(({ kind }) => kind === 'episode-end')!['gameId'],
    );
    expect(stderr).toContain('no lesson, ');
  });

  it.each([
    ['--expert-prompts', 66, 'nowhere.json'],
    ['--reflection-examples', 66, 'nowhere.txt'],
  ])('rejects %s without the file', async (flag, status, name) => {
    const given = ['--expert', 'openai', '--expert-model', 'x', '--expert-base-url', 'http://127.0.0.1:9/v1'];
    const argv = [
      'train',
      ...small.split(' '),
      ...given,
      flag,
      join(folder, name),
      '--out',
      join(folder, 'x'),
    ];
    const result = await emac(argv);
    expect(result.status).toBe(status);
    expect(result.stderr).toContain(name);
  });
});
