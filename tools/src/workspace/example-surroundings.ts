/** The surroundings of the READMEs' examples: a reader's file, and a language model service. */
import { copyFileSync, readdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { packageNames, root } from './root.ts';

/** Puts `network.onnx`, a network that PyTorch exported (x [batch, 6] → y [batch, 3]), into the folder. */
export function putNetwork(folder: string): void {
  const [path] = packageNames().flatMap((name) =>
    readdirSync(`${root}packages/${name}/src`, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('mlp.onnx'))
      .map((file) => `${root}packages/${name}/src/${file}`),
  );
  copyFileSync(path!, join(folder, 'network.onnx'));
}

/** Puts `small.gguf`, a small random model, into the folder. */
export function putGguf(folder: string): void {
  copyFileSync(`${root}packages/gguf/fixtures/llama.gguf`, join(folder, 'small.gguf'));
}

/** A service in the form of OpenAI's chat interface that answers every request with the same text. */
export async function languageService(answer: string): Promise<{ server: Server; url: string }> {
  const reply = JSON.stringify({
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: answer } }],
    usage: { prompt_tokens: 500, completion_tokens: 6, total_tokens: 506 },
  });
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.setHeader('content-type', 'application/json').end(reply));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}
