import { EmacError, Random, type ChatMessage, type LabelRequest } from '@emac/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AskedModel } from './asked-again.ts';
import { chatAnswer, faultServer, json } from './fault-server.test.support.ts';
import { openaiLanguageModel } from './language-model.ts';
import { manualClock } from './manual-clock.test.support.ts';
import { openaiExpert, type ExpertEvent } from './openai-expert.ts';

const request: LabelRequest = {
  task: { id: 'pick_and_place_simple-Pen-None-Desk-301/trial_1', type: 'pick_and_place_simple' },
  memories: [],
  admissible: null,
  history: {
    initial: '-= Welcome to TextWorld, ALFRED! =-\n\nRoom.\n\nYour task is to: put some pen in desk.',
    turns: [{ command: 'look', observation: 'You see.' }],
  },
};

interface Asked {
  readonly messages: readonly ChatMessage[];
  readonly options: Parameters<AskedModel['reply']>[1];
}

/** Answers in order, repeating the last one, and records its requests. */
function answering(...answers: readonly string[]): AskedModel & { asked: Asked[] } {
  const asked: Asked[] = [];
  return {
    asked,
    reply: async (messages, options) => {
      asked.push({ messages, options });
      return { text: answers[Math.min(asked.length, answers.length) - 1]! };
    },
  };
}

describe('openaiExpert', () => {
  it("gives the answer's command", async () => {
    const languageModel = answering('\n\n  > Go to the desk 1.\n> open desk 1');
    expect(await openaiExpert({ languageModel }).label(request)).toEqual({
      kind: 'action',
      command: 'go to desk 1',
    });
    expect(languageModel.asked).toHaveLength(1);
    const { messages, options } = languageModel.asked[0]!;
    expect(options).toEqual({ temperature: 0 });
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(messages[0]!.content).toContain('Your task is to: put ');
    expect(messages.at(-1)!.content).toBe('You see.');
  });

  it('accepts `look`, which the published rule of five characters would retry', async () => {
    const languageModel = answering('look');
    expect(await openaiExpert({ languageModel }).label(request)).toEqual({ kind: 'action', command: 'look' });
    expect(languageModel.asked).toHaveLength(1);
  });

  it('retries at rising temperature and states why there is no label', async () => {
    const languageModel = answering('', 'I cannot help with that.');
    const label = await openaiExpert({ languageModel }).label(request);
    expect(label).toEqual({
      kind: 'unusable',
      cause: 'no-command',
      reason: 'after 6 tries: "i cannot help with that" is not a command',
    });
    expect(languageModel.asked.map(({ options }) => options!.temperature)).toEqual([
      0, 0.2, 0.4, 0.6, 0.8, 1,
    ]);
  });

  it('uses the first usable answer', async () => {
    const languageModel = answering('', 'dance', 'open drawer 1');
    expect(await openaiExpert({ languageModel }).label(request)).toEqual({
      kind: 'action',
      command: 'open drawer 1',
    });
    expect(languageModel.asked).toHaveLength(3);
  });

  it('answers thoughts with OK. and keeps them', async () => {
    const languageModel = answering(
      'think: a pen may be in a drawer.',
      'Thought: drawer 1 first.\nopen drawer 1',
    );
    expect(await openaiExpert({ languageModel }).label(request)).toEqual({
      kind: 'action',
      command: 'open drawer 1',
      thoughts: ['a pen may be in a drawer.', 'drawer 1 first.'],
    });
    expect(languageModel.asked[1]!.messages.slice(-2)).toEqual([
      { role: 'assistant', content: 'think: a pen may be in a drawer.' },
      { role: 'user', content: 'OK.' },
    ]);
    expect(languageModel.asked[1]!.options!.temperature).toBe(0);
  });

  it('limits thoughts, new and repeated ones', async () => {
    let number = 0;
    const thinker: AskedModel = { reply: async () => ({ text: `think: thought ${number++}` }) };
    const endless = await openaiExpert({ languageModel: thinker, maxThoughts: 3 }).label(request);
    expect(endless).toEqual({
      kind: 'unusable',
      cause: 'no-command',
      reason: 'more than 3 thoughts and no command',
    });
    expect(number).toBe(4);
    const stuck = answering('think: hm');
    const label = await openaiExpert({ languageModel: stuck }).label(request);
    expect(label).toEqual({
      kind: 'unusable',
      cause: 'no-command',
      reason: 'after 6 tries: the answer repeats a thought',
    });
    expect(stuck.asked).toHaveLength(7);
  });

  it('makes a thought the label when thoughts are imitated, but not a repeated one', async () => {
    const expert = openaiExpert({
      languageModel: answering('think: hm', 'think: hm', 'look'),
      imitateThoughts: true,
    });
    expect(await expert.label(request)).toEqual({ kind: 'action', command: 'think: hm' });
    const turns = [...request.history.turns, { command: 'think: hm', observation: 'OK.' }];
    const after = await expert.label({ ...request, history: { ...request.history, turns } });
    expect(after).toEqual({ kind: 'action', command: 'look' });
  });

  it('also answers a thought from an earlier state, so that a command follows', async () => {
    const languageModel = answering('think: hm', 'look');
    const turns = [{ command: 'think: hm', observation: 'OK.' }, ...request.history.turns];
    const again = { ...request, history: { ...request.history, turns } };
    // not kept again: its history contains it
    expect(await openaiExpert({ languageModel }).label(again)).toEqual({ kind: 'action', command: 'look' });
    expect(languageModel.asked[1]!.messages.slice(-2).map(({ content }) => content)).toEqual([
      'think: hm',
      'OK.',
    ]);
  });

  it('repairs a command to the nearest accepted one on request, and reports it', async () => {
    const events: ExpertEvent[] = [];
    const near = { ...request, admissible: ['look', 'go to desk 1', 'go to shelf 1'] };
    const repairing = (answer: string, repairActions: boolean) =>
      openaiExpert({
        languageModel: answering(answer),
        repairActions,
        requireAdmissible: true,
        report: (event: ExpertEvent) => void events.push(event),
      }).label(near);
    // two letters swapped: distance 2
    expect(await repairing('go to dsek 1', true)).toEqual({
      kind: 'action',
      command: 'go to desk 1',
      isRepaired: true,
    });
    const taskId = request.task.id;
    const said = 'go to dsek 1';
    expect(events).toEqual([
      { kind: 'command-repaired', taskId, said, command: 'go to desk 1', distance: 2 },
    ]);
    expect(await repairing('go to dsek 1', false)).toMatchObject({ kind: 'unusable' });
    expect(await repairing('open microwave 1', true)).toMatchObject({ kind: 'unusable' });
    expect(events).toHaveLength(1);
  });

  it("reports a command of the other dialect, which becomes the world's", async () => {
    const events: ExpertEvent[] = [];
    const report = (event: ExpertEvent) => void events.push(event);
    const admissible = ['look', 'move pen 1 to desk 1'];
    const languageModel = answering('put pen 1 on desk 1');
    const label = await openaiExpert({ languageModel, report }).label({ ...request, admissible });
    expect(label).toEqual({ kind: 'action', command: 'move pen 1 to desk 1', isRepaired: true });
    expect(events).toMatchObject([
      { kind: 'command-repaired', said: 'put pen 1 in/on desk 1', command: 'move pen 1 to desk 1' },
    ]);
  });

  it.each(['chat', 'react'] as const)(
    'reports the parts dropped from a %s prompt for its limit',
    async (format) => {
      const events: ExpertEvent[] = [];
      const report = (event: ExpertEvent) => void events.push(event);
      const turns = Array.from({ length: 3 }, () => ({ command: 'look', observation: 'x'.repeat(1000) }));
      const long = { ...request, history: { ...request.history, turns } };
      const countTokens = (text: string) => text.length;
      const options = { languageModel: answering('look'), format, examples: [], countTokens, report };
      await openaiExpert({ ...options, maxPromptTokens: 10_000 }).label(long);
      expect(events).toEqual([]);
      // rules and task have about 1,500 letters in a chat, 100 in ReAct's text: room for one turn of a thousand
      const maxPromptTokens = format === 'chat' ? 2800 : 1800;
      await openaiExpert({ ...options, maxPromptTokens }).label(long);
      await openaiExpert({ ...options, maxPromptTokens: 10 }).label(long);
      const taskId = request.task.id;
      const of = (turns: number) => ({ turns, examples: 0, memories: 0 });
      expect(events).toEqual([
        { kind: 'prompt-shortened', taskId, dropped: of(2), fits: true },
        { kind: 'prompt-shortened', taskId, dropped: of(3), fits: false },
      ]);
    },
  );

  it("uses the world's dialect", async () => {
    const admissible = ['look', 'put pen 1 in/on desk 1'];
    const languageModel = answering('move pen 1 to desk 1');
    const label = await openaiExpert({ languageModel }).label({ ...request, admissible });
    expect(label).toEqual({ kind: 'action', command: 'put pen 1 in/on desk 1', isRepaired: true });
    expect(languageModel.asked[0]!.messages[0]!.content).toContain('put {object} in/on {receptacle}');
    expect(languageModel.asked[0]!.messages.at(-1)!.content).not.toContain('accepts now');
  });

  it('retries a command that the world would not accept, if required', async () => {
    const languageModel = answering('open desk 1', 'look');
    const expert = openaiExpert({ languageModel, requireAdmissible: true, showAdmissible: true });
    expect(await expert.label({ ...request, admissible: ['look'] })).toEqual({
      kind: 'action',
      command: 'look',
    });
    expect(languageModel.asked[0]!.messages.at(-1)!.content).toContain('accepts now:\nlook');
    const without = await openaiExpert({ languageModel: answering('open desk 1') }).label({
      ...request,
      admissible: ['look'],
    });
    expect(without).toEqual({ kind: 'action', command: 'open desk 1' });
  });

  it("writes one text up to an open prompt in ReAct's format", async () => {
    const languageModel = answering(' go to desk 1');
    const expert = openaiExpert({ languageModel, format: 'react', examples: ['EX1\n', 'EX2\n'] });
    await expert.label({ ...request, memories: ['try the desk'] });
    const { messages, options } = languageModel.asked[0]!;
    expect(messages).toEqual([
      {
        role: 'user',
        content:
          'Interact with a household to solve a task. Here are two examples.\nEX1\nEX2\n\nYour memory for the task below:\nTrial 0: try the desk\n\nHere is the task.\nRoom.\nYour task is to: put some pen in desk.\n> look\nYou see.\n>',
      },
    ]);
    expect(options!.stop).toEqual(['\n']);
  });

  it.each([
    ['unavailable', 3],
    ['interrupted', 1],
    ['auth', 1],
  ] as const)('passes on %s after %i calls and makes no label of it', async (code, calls) => {
    let asked = 0;
    const reply = () => {
      asked++;
      return Promise.reject(new EmacError(code, 'down'));
    };
    const labelling = openaiExpert({ languageModel: { reply } }).label(request);
    await expect(labelling).rejects.toMatchObject({ code });
    expect(asked).toBe(calls);
  });

  it('retries a failed call at the same temperature', async () => {
    const temperatures: unknown[] = [];
    const languageModel: AskedModel = {
      reply: async (_, options) => {
        temperatures.push(options?.temperature);
        if (temperatures.length < 3) throw new EmacError('unavailable', 'down');
        return { text: 'look' };
      },
    };
    expect(await openaiExpert({ languageModel }).label(request)).toEqual({ kind: 'action', command: 'look' });
    expect(temperatures).toEqual([0, 0, 0]);
  });

  it('labels over a real connection, past empty answers and leading line breaks', async () => {
    const server = await faultServer(chatAnswer(''), chatAnswer('\n\n\nopen drawer 1\n'));
    const languageModel = openaiLanguageModel({
      baseUrl: server.baseUrl,
      model: 'teacher',
      clock: manualClock(),
      random: Random.fromSeed(0),
    });
    try {
      expect(await openaiExpert({ languageModel }).label(request)).toEqual({
        kind: 'action',
        command: 'open drawer 1',
      });
      expect(server.seen.map(({ body }) => body.temperature)).toEqual([0, 0.2]);
    } finally {
      await server.close();
    }
  });

  describe('over a real connection', () => {
    const labelFrom = async (...bodies: readonly object[]) => {
      const server = await faultServer(...bodies.map((body) => json(200, body)));
      onTestFinished(() => server.close());
      const languageModel = openaiLanguageModel({
        baseUrl: server.baseUrl,
        model: 'teacher',
        clock: manualClock(),
        random: Random.fromSeed(0),
      });
      const label = await openaiExpert({ languageModel }).label(request);
      return { label, requests: server.seen.length };
    };
    const choice = (message: object, finish_reason = 'stop') => ({
      choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    });
    const toShelf = { label: { kind: 'action', command: 'go to shelf 2' }, requests: 1 };

    it.each<[string, unknown]>([
      [
        'after a closing </think> without an opening one',
        'The options are:\n1. go to desk 1\n2. go to shelf 2\nThe second one is right.\n</think>\n\ngo to shelf 2',
      ],
      ['inside <action> on one line', '<think>hm</think><action>go to shelf 2</action>'],
      [
        'in the text parts of a list',
        [
          { type: 'thinking', thinking: [{ type: 'text', text: 'go to desk 1 is likelier' }] },
          { type: 'text', text: 'go to ' },
          { type: 'text', text: 'shelf 2' },
        ],
      ],
    ])('reads the command %s', async (_, content) => {
      expect(await labelFrom(choice({ content }))).toEqual(toShelf);
    });

    it('reads no command of an answer that was cut while it reasoned, and says how to give it more room', async () => {
      const cut = { content: null, reasoning_content: 'go to desk 1 or' };
      const { label, requests } = await labelFrom(choice(cut, 'length'));
      expect(label).toMatchObject({
        reason: expect.stringMatching(/cut at its longest length \(--expert-answer-tokens\)$/),
      });
      expect(requests).toBe(6);
      const untagged = { content: 'Let me see.\n1. go to desk 1\n2. go to she' };
      expect(await labelFrom(choice(untagged, 'length'), choice({ content: 'go to shelf 2' }))).toEqual({
        ...toShelf,
        requests: 2,
      });
    });

    it('reads a command at the beginning of a cut answer unless its end may be missing', async () => {
      const said = (content: string) => choice({ content }, 'length');
      expect(await labelFrom(said('go to shelf 2\nThat is because'))).toEqual(toShelf);
      // it may have been shelf 21
      const found = await labelFrom(said('go to shelf 2'), choice({ content: 'look' }));
      expect(found).toEqual({ label: { kind: 'action', command: 'look' }, requests: 2 });
    });

    it('takes a refusal among the parts for one', async () => {
      const content = [{ type: 'refusal', refusal: 'I will not.' }];
      expect((await labelFrom(choice({ content }))).label).toMatchObject({ cause: 'refused' });
    });
  });
});
