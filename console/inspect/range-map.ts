/**
 * Which bytes of a file are there, drawn as a strip from its first byte to its last: as dark as much of each part is
 * there. What it says in words stands beside it, for who does not see it.
 */

import { byId, drawn, setText } from '../element.ts';
import { inWords, rangesIn, shares } from './range-shares.ts';

/** Parts of the strip: as many as a side of the page has dots. */
const CELLS = 300;

export class RangeMap {
  readonly #section = byId('ranges-section', HTMLElement);
  readonly #text = byId('ranges-text', HTMLElement);
  readonly #strip = byId('ranges', HTMLElement);
  #shown = '';

  /** Of the context of an entity; hidden where that is no transfer. */
  show(context: unknown): void {
    const ranges = rangesIn(context);
    this.#section.hidden = ranges === undefined;
    if (ranges === undefined) return;
    const words = inWords(ranges);
    const text = `${words} ${JSON.stringify(ranges.received)}`;
    if (text === this.#shown) return;
    this.#shown = text;
    setText(this.#text, words);
    const svg = drawn('svg', {
      viewBox: `0 0 ${CELLS} 1`,
      preserveAspectRatio: 'none',
      role: 'img',
      'aria-label': words,
    });
    svg.append(...stretches(shares(ranges, CELLS)));
    this.#strip.replaceChildren(svg);
  }
}

/** Neighbours that are alike are one. */
function stretches(there: readonly number[]): SVGElement[] {
  const drawnOnes: SVGElement[] = [];
  for (let first = 0; first < there.length; ) {
    let end = first + 1;
    while (end < there.length && there[end] === there[first]) end += 1;
    const share = there[first]!;
    if (share > 0)
      drawnOnes.push(
        drawn('rect', { x: first, width: end - first, height: 1, 'fill-opacity': Math.max(0.25, share) }),
      );
    first = end;
  }
  return drawnOnes;
}
