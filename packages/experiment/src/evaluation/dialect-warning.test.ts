import { expect, it } from 'vitest';
import { dialectWarning, dialectWatch } from './dialect-warning.ts';

const step = (command: string, observation: string) => ({ own: command, label: '', command, observation });
const game = (...steps: readonly ReturnType<typeof step>[]) => ({ observation: 'Room.', steps });
const nothing = 'Nothing happens.';

it('a policy that was trained on games of the other form is named with its command', () => {
  const old = game(
    step('go to desk 2', 'You arrive at loc 3. On the desk 2, you see nothing.'),
    step('move mug 1 to desk 2', nothing),
    step('move mug 1 to desk 2', nothing),
  );
  const fresh = game(
    step('go to desk 2', 'You arrive at desk 2. You see nothing.'),
    step('put mug 1 in/on desk 2', nothing),
  );
  expect(dialectWarning([old, game()])).toMatch(
    /^2 commands in 1 of 2 games did nothing .* "move mug 1 to desk 2": these games take put OBJECT in\/on PLACE, as ALFWorld wrote up to 0\.3\.5;/,
  );
  expect(dialectWarning([fresh])).toMatch(
    /^1 command .* take move OBJECT to PLACE, as ALFWorld writes since 0\.4;/,
  );
});

it('commands in the form of their games, and other mistakes, are not', () => {
  const arrived = step('go to desk 2', 'You arrive at loc 3. On the desk 2, you see nothing.');
  expect(dialectWarning([])).toBeNull();
  expect(
    dialectWarning([game(arrived, step('put mug 1 in/on desk 2', nothing), step('dance', nothing))]),
  ).toBeNull();
  expect(
    dialectWarning([game(arrived, step('move mug 1 to desk 2', 'You put the mug 1 in/on the desk 2.'))]),
  ).toBeNull();
  // nothing has told yet which form the game takes
  expect(dialectWarning([game(step('put mug 1 in/on desk 2', nothing))])).toBeNull();
});

it('play step by step is watched too', () => {
  const said: string[] = [];
  const forms = dialectWatch({ listener: { warning: (line: string) => void said.push(line) } });
  const after = (text: string) =>
    ({
      actions: ['go to desk 2'],
      moment: () => ({ history: { initial: 'Room.' }, observation: { text } }),
    }) as never;
  const outcome = { reward: 0 };
  const stepped = (action: number | string, text: string) =>
    forms.watch.stepped(0, { environment: after(text), action, outcome } as never);
  forms.watch.begun(0, after('Room.'));
  stepped(0, 'You arrive at desk 2. You see nothing.');
  forms.tell();
  expect(said).toEqual([]);
  stepped('put mug 1 in/on desk 2', nothing);
  forms.tell();
  expect(said).toEqual([expect.stringMatching(/^1 command in 1 of 1 games did nothing for their form/)]);
});
