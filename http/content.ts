/**
 * The body of a request that is content, not JSON: read in pieces and never held whole. Mission Control Service,
 * section 4.7 (`POST /v1/uploads`). Knows no transport.
 *
 * T1. The pieces are asked for by whoever reads them; a client faster than that is held back.
 */

export interface Content {
  /** The pieces in order, once; throws `ContentBroken` when they end before the content does. */
  pieces(): AsyncIterable<Uint8Array>;
  /** Nobody wants the rest: whoever reads the pieces gets `ContentBroken`. */
  giveUp(): void;
}

const WORDS = {
  'too-large': 'more content than the route accepts',
  gone: 'the client disconnected before the end',
  'given-up': 'the rest is not needed',
};

/** The rest will not come. */
export class ContentBroken extends Error {
  readonly why: 'too-large' | 'gone' | 'given-up';

  constructor(why: 'too-large' | 'gone' | 'given-up') {
    super(WORDS[why]);
    this.why = why;
  }
}
