/** What the environment shows now; on request with the parts of the picture that the choice depends on. */
import type { CoveredParts } from '../data/played.ts';
import type { Ordered } from './game-state.ts';

export function Scene({ view, carry }: Ordered) {
  const { now, covered, pictures, policy, end } = view;
  const source = now.picture === null ? undefined : pictures[now.picture];
  const canLook = policy !== null && end === null && now.commands.some((each) => each.now !== null);
  return (
    <figure class="game-scene">
      {source !== undefined && (
        <div class="game-picture">
          <img src={source} alt="what the environment shows" />
          {covered && <Parts covered={covered} />}
        </div>
      )}
      <figcaption>
        <p class="game-text">{now.text}</p>
        {source !== undefined && canLook && (
          <p>
            <button onClick={() => carry({ kind: 'cover' })}>Where does the policy look?</button>
          </p>
        )}
        {covered && strongest(covered) === 0 && (
          <p class="soft">
            No part of the picture changes how likely <q>{covered.choice}</q> is: the policy reads the text
            alone.
          </p>
        )}
        {covered && strongest(covered) !== 0 && (
          <p class="soft">
            Each part was covered once. Blue parts speak for <q>{covered.choice}</q>, red parts against it;
            the strongest changes its log-probability by {strongest(covered).toFixed(2)}.
          </p>
        )}
      </figcaption>
    </figure>
  );
}

function strongest({ changes }: CoveredParts): number {
  return changes.reduce((most, change) => (Math.abs(change) > Math.abs(most) ? change : most), 0);
}

function Parts({ covered }: { readonly covered: CoveredParts }) {
  const { columns, rows, changes } = covered;
  const most = Math.abs(strongest(covered)) || 1;
  return (
    <svg viewBox={`0 0 ${columns} ${rows}`} preserveAspectRatio="none" aria-hidden="true">
      {changes.map((change, place) => (
        <rect
          key={place}
          x={place % columns}
          y={Math.floor(place / columns)}
          width="1"
          height="1"
          class={change < 0 ? 'for' : 'against'}
          opacity={(0.75 * Math.abs(change)) / most}
        />
      ))}
    </svg>
  );
}
