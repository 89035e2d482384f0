/**
 * Which bytes of a file are there, drawn as a strip from its first byte to its last: as dark as much of each part is
 * there. What it says in words stands beside it, for who does not see it.
 */

import { byId, drawn, setText } from '../element.ts';
import { inWords, opacityOf, paceInWords, rangesIn, shares, stretches } from './range-shares.ts';

/** Parts of the strip: as many as a side of the page has dots. */
const CELLS = 300;

export class RangeMap {
  readonly #section = byId('ranges-section', HTMLElement);
  readonly #text = byId('ranges-text', HTMLElement);
  readonly #pace = byId('ranges-pace', HTMLElement);
  readonly #strip = byId('ranges', HTMLElement);
  #shown = '';

  /** Of the context of an entity; hidden where that is no transfer. */
  show(context: unknown): void {
    const ranges = rangesIn(context);
    this.#section.hidden = ranges === undefined;
    if (ranges === undefined) return;
    const words = inWords(ranges);
    setText(this.#pace, paceInWords(context));
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
    for (const { x, width, share } of stretches(shares(ranges, CELLS)))
      svg.append(drawn('rect', { x, width, height: 1, 'fill-opacity': opacityOf(share) }));
    this.#strip.replaceChildren(svg);
  }
}
