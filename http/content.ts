/**
 * The body of a request that is content, not JSON: read in pieces and never held whole. Mission Control Service, section
 * 4.7 (`POST /v1/uploads`). Knows no transport.
 *
 * T1. The pieces are asked for by whoever reads them; a client faster than that is held back.
 */

export interface Content {
  /** The pieces in order, once; throws `ContentBroken` when they end before the content does. */
  pieces(): AsyncIterable<Uint8Array>;
}

/** The rest will not come: too much of it, or the client has gone. */
export class ContentBroken extends Error {
  readonly why: 'too-large' | 'gone';

  constructor(why: 'too-large' | 'gone') {
    super(why === 'too-large' ? 'more content than the route takes' : 'the client went before the end');
    this.why = why;
  }
}
