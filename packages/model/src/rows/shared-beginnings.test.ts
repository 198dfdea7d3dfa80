import { visualFirst } from '@emac/backbone';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packRows, rowLength, type TokenRow } from './rows.ts';
import { joinRows } from './shared-beginnings.ts';

const key = () => '';
const numbers = (data: unknown): number[] => Array.from(data as BigInt64Array, Number);

const row = (prompt: readonly number[], ...responses: readonly (readonly number[])[]): TokenRow => ({
  visual: 0,
  prompt,
  responses,
});

describe('joinRows', () => {
  it('reads a growing history once, as worked out by hand', () => {
    // 9 ends every prompt; the second history goes on where the first ended
    const rows = [row([1, 2, 9], [5, 0]), row([1, 2, 3, 4, 9], [6, 0], [7, 0])];
    const joined = joinRows(rows, { key, longest: 100 });
    expect(joined).toHaveLength(1);
    expect(joined[0]!.rows).toEqual([1, 0]);
    expect(joined[0]!.answers).toEqual([
      { row: 0, response: 0 },
      { row: 1, response: 0 },
      { row: 1, response: 1 },
    ]);
    const { feeds, owners } = packRows([joined[0]!.tokens], { pad: 8 });
    expect(numbers(feeds['tokens']!.data)).toEqual([...[1, 2], ...[9, 5, 0], ...[3, 4, 9], ...[6, 0, 7, 0]]);
    expect(numbers(feeds['segments']!.data)).toEqual([
      ...[0, 0],
      ...[1, 1, 1],
      ...[0, 0, 0],
      ...[2, 2, 3, 3],
    ]);
    expect(numbers(feeds['position_ids']!.data)).toEqual([
      ...[0, 1],
      ...[2, 3, 4],
      ...[2, 3, 4],
      ...[5, 6, 5, 6],
    ]);
    expect(numbers(feeds['labels']!.data)).toEqual([5, 0, 6, 0, 7, 0]);
    // the branch's answer follows its 9 at place 2; the others follow the trunk's at place 7
    expect(numbers(feeds['label_positions']!.data)).toEqual([2, 3, 7, 8, 7, 10]);
    expect(owners.map(({ response }) => response)).toEqual([0, 0, 1, 1, 2, 2]);
  });

  it('keeps rows apart that begin differently, show another picture, or would be too long together', () => {
    const long = Array.from({ length: 80 }, (_, place) => place);
    const [one, other] = [row(long, [1]), row([...long, 3], [1])];
    const cut = row(long.slice(40), [1]);
    expect(joinRows([one, other], { key, longest: 200 })).toHaveLength(1);
    expect(joinRows([other, cut], { key, longest: 200 })).toHaveLength(2);
    expect(joinRows([one, other], { key: String, longest: 200 })).toHaveLength(2);
    expect(joinRows([one, other], { key, longest: rowLength(other) })).toHaveLength(2);
    // the last visual token comes after what is shared
    const seen = { ...one, visual: 1, layout: visualFirst(1, long.length) };
    const late = {
      order: Int32Array.from([1, 0, 2, 3]),
      positions: [Int32Array.from([0, 1, 2, 3])],
      next: 4,
    };
    const within = { visual: 1, prompt: [0, 1, 2], layout: late, responses: [[1]] };
    expect(joinRows([seen, within], { key, longest: 200 })).toHaveLength(2);
  });

  it('lets every label see its own prompt and answer at their positions, and nothing else', () => {
    const token = fc.integer({ min: 0, max: 2 });
    const answers = fc.array(fc.array(token, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 });
    const given = fc.array(fc.tuple(fc.array(token, { minLength: 1, maxLength: 9 }), answers), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(given, fc.integer({ min: 0, max: 60 }), (all, longest) => {
        const rows = all.map(([prompt, responses]) => row(prompt, ...responses));
        const joined = joinRows(rows, { key, longest });
        expect(joined.flatMap((each) => each.rows).sort((a, b) => a - b)).toEqual(
          rows.map((_, place) => place),
        );
        for (const { tokens, answers: owned } of joined) {
          const { feeds, owners } = packRows([tokens], { pad: 0 });
          const ids = numbers(feeds['tokens']!.data);
          const segments = numbers(feeds['segments']!.data);
          const positions = numbers(feeds['position_ids']!.data);
          const before = numbers(feeds['label_positions']!.data);
          const labels = numbers(feeds['labels']!.data);
          const count = new Map<string, number>();
          owners.forEach(({ response }, label) => {
            const answer = owned[response]!;
            const name = `${answer.row}.${answer.response}`;
            const place = count.get(name) ?? 0;
            count.set(name, place + 1);
            const { prompt, responses } = rows[answer.row]!;
            const said = responses[answer.response]!;
            expect(labels[label]).toBe(said[place]);
            // as attentionBias has it: what stands before, in the prompt or in the same segment
            const at = before[label]!;
            const seen = ids.flatMap((id, other) => {
              const isSeen = other <= at && (segments[other] === 0 || segments[other] === segments[at]);
              return isSeen ? [{ id, position: positions[other]! }] : [];
            });
            const wanted = [...prompt, ...said.slice(0, place)].map((id, position) => ({ id, position }));
            expect(seen.sort((a, b) => a.position - b.position)).toEqual(wanted);
          });
          expect([...count.values()].reduce((sum, each) => sum + each, 0)).toBe(labels.length);
        }
      }),
    );
  });
});
