/**
 * The first observation without its greeting. ALFWorld opens with three paragraphs: `-= Welcome … =-`, the room, the
 * task. The published code keeps all but the first and joins them by a line break; so do we. Departure: a text of one
 * paragraph is kept, while the published code would return nothing.
 */

/** The initial observation without its first paragraph, the others joined by `\n`; never throws. */
export function initialObservation(text: string): string {
  const paragraphs = text.split('\n\n');
  return paragraphs.length > 1 ? paragraphs.slice(1).join('\n') : text;
}
