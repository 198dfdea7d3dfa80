/**
 * A real HTTP server in vLLM's form. It loads adapter folders at run time, and answers with the small model under the
 * requested adapter, sampled with the request's seed; its log-probabilities are those before the temperature. Tests
 * switch on its faults.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { readAdapter } from '@emac/backbone';
import { promptOf, Random } from '@emac/core';
import { decodeImage } from '@emac/images';
import type { FixedPolicy, Student } from '@emac/model';
import { openModel, openStudent, ownProjection } from '@emac/opening';
import { modelSchema } from '@emac/settings';

export interface Faults {
  /** as without VLLM_ALLOW_RUNTIME_LORA_UPDATING */
  noLora: boolean;
  /** an answer to a load, in place of loading */
  load: { readonly status: number; readonly body: unknown } | null;
  /** an answer to a question, in place of a text */
  chat: { readonly status: number; readonly body: unknown } | null;
  /** always answers with the first loaded adapter, under the requested name */
  stale: boolean;
  /** reports that adapter's name, as well as answering by it */
  saysStale: boolean;
  /** each log-probability is off by up to this, as by arithmetic in fewer bits */
  noise: number;
  /** texts stand in place of token ids */
  noIds: boolean;
  /** answers so many questions, then stops; null: never stops */
  dieAfter: number | null;
  /** questions that are answered before it falls silent; null: it does not */
  silentAfter: number | null;
}

/** Requests it has received. */
export interface Asked {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ServedModel {
  readonly url: string;
  readonly faults: Faults;
  readonly asked: Asked[];
  /** names of its adapters in load order */
  readonly names: () => readonly string[];
  /** answers on its port again after a stop, without adapters */
  restart(): Promise<void>;
  close(): Promise<void>;
}

interface Loaded {
  readonly name: string;
  readonly policy: FixedPolicy;
}

/** For the model of that name. */
export async function servedModel(path: string, maxLength: number): Promise<ServedModel> {
  const model = await openModel({ ...modelSchema.parse({ path }) }, { env: {} });
  const asked: Asked[] = [];
  const loaded: Loaded[] = [];
  const faults: Faults = {
    noLora: false,
    load: null,
    chat: null,
    stale: false,
    saysStale: false,
    noise: 0,
    noIds: false,
    dieAfter: null,
    silentAfter: null,
  };
  let student: Student | null = null;
  let questions = 0;
  let server: Server | null = null;

  const load = async (folder: string): Promise<FixedPolicy> => {
    const adapter = readAdapter(folder);
    student ??= await openStudent(
      model,
      { ...ownProjection(model.files), adapter },
      {
        generation: { beams: 1, minLength: 1, maxLength },
        text: { maxTokens: 1024, thoughts: false, observe: 'both' },
      },
    );
    return student.under(new Map([...student.projection!, ...adapter.parameters]), adapter.settings);
  };
  const complete = async (body: Chat, { name, policy }: Loaded) => {
    const [{ content }] = body.messages;
    const urls = content.flatMap((part) => (part.type === 'image_url' ? [part.image_url.url] : []));
    const pictures = urls.map((url) => Buffer.from(url.slice(url.indexOf(',') + 1), 'base64'));
    const frames = await Promise.all(pictures.map((png) => decodeImage(png)));
    const features = await Promise.all(frames.map((frame) => policy.encode!(frame)));
    const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
    const prompt = promptOf(features, text);
    const question = { prompt, allowed: null, random: Random.fromSeed(body.seed) };
    const { temperature, top_p: topP } = body;
    const [said] = await policy.decide([question], { kind: 'sample', temperature, topP });
    const [[raw]] = (await policy.score([{ prompt, answers: [said!.tokens] }])) as [[Float32Array]];
    const noise = Random.fromSeed(body.seed).stream('noise');
    const texts = student!.tokenTexts(said!.tokens);
    return {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 0,
      model: name,
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: said!.text },
          logprobs: {
            content: said!.tokens.map((id, place) => ({
              token: faults.noIds ? texts[place]! : `token_id:${id}`,
              logprob: raw[place]! + faults.noise * (2 * noise.uniform() - 1),
              bytes: null,
              top_logprobs: [],
            })),
          },
          finish_reason: said!.tokens.at(-1) === student!.endToken ? 'stop' : 'length',
        },
      ],
      usage: null,
    };
  };

  const chat = async (body: Chat, response: ServerResponse): Promise<void> => {
    if (faults.dieAfter !== null && questions >= faults.dieAfter) return stop();
    if (faults.silentAfter !== null && questions >= faults.silentAfter) return;
    questions++;
    if (faults.chat) return json(response, faults.chat.status, faults.chat.body);
    const named = loaded.find(({ name }) => name === body.model);
    if (!named) return json(response, 404, failure(`The model \`${body.model}\` does not exist.`, 404));
    const first = faults.stale || faults.saysStale ? { ...loaded[0]! } : named;
    const one = faults.saysStale ? first : { ...first, name: body.model };
    json(response, 200, await complete(body, one));
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bodyOf(request);
    asked.push({ path: request.url!, body });
    if (request.url === '/v1/models') {
      const data = [{ name: 'base' }, ...loaded].map(({ name }) => ({ id: name, object: 'model' }));
      return json(response, 200, { object: 'list', data });
    }
    if (request.url === '/v1/chat/completions') return chat(body as unknown as Chat, response);
    if (faults.noLora) return json(response, 404, { detail: 'Not Found' });
    const name = String(body['lora_name']);
    const place = loaded.findIndex((each) => each.name === name);
    if (request.url === '/v1/unload_lora_adapter') {
      if (place < 0) return json(response, 404, failure(`The lora adapter '${name}' cannot be found.`, 404));
      // a stale server keeps answering with its adapter
      if (!faults.stale && !faults.saysStale) loaded.splice(place, 1)[0]!.policy.dispose();
      return void response.writeHead(200).end(`Success: LoRA adapter '${name}' removed successfully.`);
    }
    if (faults.load) return json(response, faults.load.status, faults.load.body);
    if (place >= 0)
      return json(response, 400, failure(`The lora adapter '${name}' has already been loaded.`, 400));
    loaded.push({ name, policy: await load(String(body['lora_path'])) });
    response.writeHead(200).end(`Success: LoRA adapter '${name}' added successfully.`);
  };

  let port = 0;
  const start = async (): Promise<void> => {
    const made = createServer((request, response) => {
      answer(request, response).catch((thrown: unknown) => json(response, 500, failure(String(thrown), 500)));
    });
    await new Promise<void>((resolve) => made.listen(port, '127.0.0.1', resolve));
    ({ port } = made.address() as AddressInfo);
    server = made;
  };
  const stop = async (): Promise<void> => {
    const stopping = server as ReturnType<typeof createServer> | null;
    server = null;
    stopping?.closeAllConnections();
    await new Promise((resolve) => (stopping ? stopping.close(resolve) : resolve(null)));
  };
  await start();
  return {
    url: `http://127.0.0.1:${port}`,
    faults,
    asked,
    names: () => loaded.map(({ name }) => name),
    restart: async () => {
      await stop();
      loaded.length = 0;
      questions = 0;
      await start();
    },
    close: async () => {
      await stop();
      await student?.dispose();
    },
  };
}

interface Chat {
  readonly model: string;
  readonly messages: readonly [{ readonly content: readonly Part[] }];
  readonly temperature: number;
  readonly top_p: number;
  readonly seed: number;
}

type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } };

/** An error in vLLM's form. */
export function failure(message: string, code: number): unknown {
  return { error: { message, type: 'BadRequestError', param: null, code } };
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<Asked['body']> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return text === '' ? {} : (JSON.parse(text) as Asked['body']);
}
