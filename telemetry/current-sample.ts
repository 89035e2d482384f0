/** The current sample of a measure as conditions take it. Mission Control Service, section 2.2. */

import type { PlainValue } from './reading/unknown-value.ts';

export interface CurrentSample {
  readonly value: PlainValue;
  /** On-board time when known, else ground time, ms since 1970. */
  readonly timeMs: number;
  /** Reference of freshness. */
  readonly groundMs: number;
  readonly link: string;
  readonly deferred: boolean;
}
