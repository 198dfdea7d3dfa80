/** Answers prompts with a version of the policy. */
import { Random, type Loss, type Question } from '@emac/core';
import type { SentAnswers } from '../asking/answers.ts';
import { packAnswers } from '../plan/packed-answers.ts';
import type { Opening, Player, Players } from '../plan/player.ts';
import { versionsInto } from '../plan/policy-version.ts';
import { sentPrompt } from '../plan/sent-prompt.ts';

export async function answersPlayer(players: Players, opening: Opening): Promise<Player> {
  const { folder } = opening;
  const { student, ...policy } = await players.answering(opening);
  const become = versionsInto(folder, student);
  return {
    ...policy,
    async play(asked, { version }) {
      await become(version);
      const { temperature, prompts } = asked as SentAnswers;
      const questions: Question[] = [];
      for (const { prompt: sent, randoms } of prompts) {
        const prompt = await sentPrompt(folder, sent);
        for (const path of randoms) questions.push({ prompt, allowed: null, random: Random.fromSeed(path) });
      }
      return packAnswers(await student.decide(questions, { kind: 'sample', temperature, topP: 1 }));
    },
    async gradient(version, { rows, losses }) {
      await become(version);
      return student.gradient(rows, losses as Loss);
    },
  };
}
