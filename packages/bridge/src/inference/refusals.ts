/** Explains refusals of a vLLM-like server, with the option to start it with. */
import { EmacError } from '@emac/core';
import { parsedJson } from '../wire/json-exchange.ts';
import { Fault, type Refused } from '../wire/connection.ts';

/** For an answer with a status other than 200; null if the status says enough. */
export function refusalBy({ url, status, text }: Refused): EmacError | Fault | null {
  const why = reasonIn(text);
  const said = `${url}: answers with status ${status}${why === '' ? '' : `: ${why}`}`;
  if (/out of memory|No available memory|KV cache/i.test(why)) {
    const sentence = `${said}; it has no memory left: give the server a device of its own, start it with a lower --max-model-len, --max-num-seqs or another --gpu-memory-utilization`;
    return status >= 500 ? new Fault(sentence) : new EmacError('unavailable', sentence);
  }
  if (status !== 400 && status !== 404 && status !== 422 && status !== 405) return null;
  return new EmacError('unavailable', `${said}; ${adviceOn({ url, status, why })}`);
}

interface Said {
  readonly url: string;
  readonly status: number;
  readonly why: string;
}

function adviceOn({ url, status, why }: Said): string {
  if (/(?:^|[^a-z])rank/i.test(why)) return 'start the server with a --max-lora-rank of at least --lora-rank';
  if (/_lora_adapter$/.test(url) && isWithoutLora(status, why))
    return 'start the server with --enable-lora and with VLLM_ALLOW_RUNTIME_LORA_UPDATING=True in its environment';
  if (/_lora_adapter$/.test(url))
    return 'the server must see the folder of --inference-adapters under the same path';
  if (status === 404)
    return 'the server no longer has the adapter, perhaps after a restart; use --resume, which loads it';
  if (/unsupported|unexpected|unknown|extra (?:inputs|fields)|not permitted|unrecognized/i.test(why))
    return 'the server does not know this argument: use vLLM, or a later version of the server';
  return 'look at the log of the server';
}

/** Without the environment variable there is no such path, and some versions refuse it. */
function isWithoutLora(status: number, why: string): boolean {
  const isPath = status === 405 || (status === 404 && (why === '' || /^not found$/i.test(why)));
  return isPath || /unsupported|not (?:enabled|supported|allowed)|enable[-_]lora|RUNTIME_LORA/i.test(why);
}

/** vLLM's older errors are at the top level, newer ones under `error`; its web framework uses `detail`. */
function reasonIn(text: string): string {
  const { error, message, detail } = (parsedJson(text) ?? {}) as {
    readonly error?: string | { readonly message?: unknown };
    readonly message?: unknown;
    readonly detail?: unknown;
  };
  const said = (typeof error === 'object' ? error?.message : error) ?? message ?? detail;
  if (said === undefined) return text.trimStart().startsWith('<') ? '' : text.trim().slice(0, 300);
  return (typeof said === 'string' ? said : JSON.stringify(said)).slice(0, 300);
}
