/** `POST /v1/responses`: OpenAI's newer form over the route of chat completions, which decides every answer. */
import type { Context } from 'hono';
import { jsonOf } from '../server/json-body.ts';
import { refusalBody, type Refusal } from '../server/refusal.ts';
import { responseEvents, responseOf, type Completed } from './responses-reply.ts';
import { chatBodyOf, responsesBody } from './responses-request.ts';

/** `complete` answers a request for a chat completion. Throws a `RefusedRequest` for a body of another form. */
export function responsesRoute(complete: (request: Request) => Response | Promise<Response>) {
  return async (context: Context): Promise<Response> => {
    const { raw } = context.req;
    const body = responsesBody(await jsonOf(raw));
    const headers = new Headers(raw.headers);
    headers.delete('content-length');
    const place = new URL('/v1/chat/completions', raw.url);
    const asked = JSON.stringify(chatBodyOf(body));
    const response = await complete(
      new Request(place, { method: 'POST', headers, body: asked, signal: raw.signal }),
    );
    if (!response.ok) return refusedAlike(response);
    const completed = (await response.json()) as Completed;
    if (!body.stream) return context.json(responseOf(completed, body));
    return context.body(responseEvents(completed, body), 200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
    });
  };
}

/** The same refusal; its field has another name here. */
async function refusedAlike(response: Response): Promise<Response> {
  const { error } = (await response.json()) as { readonly error: Omit<Refusal, 'status'> };
  const renamed = (text: string) =>
    text
      .replace(/^messages\b/, 'input')
      .replace(/^max_completion_tokens\b/, 'max_output_tokens')
      .replace(/^response_format\b/, 'text.format')
      .replace(/\.json_schema\./, '.');
  const refusal = {
    ...error,
    status: response.status,
    message: renamed(error.message),
    param: error.param == null ? null : renamed(error.param),
  };
  const headers = new Headers(response.headers);
  headers.delete('content-length');
  return Response.json(refusalBody(refusal), { status: response.status, headers });
}
