/** `POST /v1/act`: history and frame in, action and log-probability out. */
import type { Context } from 'hono';
import { actRequestSchema, type ActReply } from './act-messages.ts';
import { aboutEpisode } from './asked.ts';
import type { Asker } from './asker.ts';
import { jsonOf } from '../server/json-body.ts';
import { checkedBody } from './refused-request.ts';
import type { EpisodeAgent } from './served-agent.ts';

/** Answers requests; throws on invalid ones. */
export function actRoute({ agent, asking }: { readonly agent: EpisodeAgent; readonly asking: Asker }) {
  return async (context: Context): Promise<Response> => {
    const request = checkedBody(actRequestSchema, await jsonOf(context.req.raw));
    const { history, prompt, admissible = null, admissible_only: admissibleOnly } = request;
    const asked = aboutEpisode(agent, {
      history: history ?? agent.readText(prompt!),
      admissible,
      admissibleOnly,
      pictures: request.images,
      fields: { pictures: 'images', admissible: 'admissible' },
    });
    const { answers } = await asking.ask(asked, { ...request, signal: context.req.raw.signal });
    const { answer, texts } = answers[0]!;
    return context.json({
      model: agent.name,
      action: agent.command(answer),
      text: answer.text,
      log_probability: answer.logProbabilities.reduce((sum, each) => sum + each, 0),
      tokens: answer.tokens.map((id, place) => {
        return { id, text: texts[place]!, log_probability: answer.logProbabilities[place]! };
      }),
    } satisfies ActReply);
  };
}
