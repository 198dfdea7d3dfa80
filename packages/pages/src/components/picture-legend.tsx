/** How the pictures of ALFWorld games are read. */
export function PictureLegend() {
  return (
    <details id="legend">
      <summary>How to read the pictures of household games</summary>
      <ul>
        <li>
          Above: the place at hand, with its number; a green bar under it means open, a red one closed, none
          that it has no door.
        </li>
        <li>
          Below: a card for each thing that lies there, with its number; the number’s colour is that of its
          place.
        </li>
        <li>In the lower right corner: what is held.</li>
        <li>
          Marks on a card: a red edge and steam are hot, a blue edge and a snowflake cool, a star is clean, a
          dashed line sliced, rays a lamp that is on.
        </li>
        <li>The middle of the room shows the room alone.</li>
      </ul>
    </details>
  );
}
