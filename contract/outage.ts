/**
 * An outage: a part of the world that should answer and does not. Caught only where an answer or an event is made of
 * it (503/504, or `driver.failed`); refusals are values (`result.ts`), defects are assertions (`assert.ts`).
 */

export type OutageCode =
  /** No connection to the bus, or the bus did not acknowledge in time. */
  | 'bus.unavailable'
  /** Nobody serves the subject. */
  | 'bus.no-responder'
  /** Somebody serves the subject and did not answer in time. */
  | 'bus.timeout';

export class Outage extends Error {
  readonly code: OutageCode;
  /**
   * Of a request (`bus.timeout`): nobody took it, and the connection is too young for that to mean that nobody is
   * there.
   */
  readonly unsettled: boolean;
  /** What ends it, where waiting alone does not: a limit of the bus that somebody has to raise. */
  readonly remedy: string | undefined;

  constructor(
    code: OutageCode,
    message: string,
    { unsettled = false, remedy, ...options }: { cause?: unknown; unsettled?: boolean; remedy?: string } = {},
  ) {
    super(message, options);
    this.name = 'Outage';
    this.code = code;
    this.unsettled = unsettled;
    this.remedy = remedy;
  }
}

/** Bytes of content that is said to be stored are not there any more: a store that went back, or was cleared. */
export class ContentGone extends Error {
  constructor(name: string) {
    super(`bytes of ${name} are missing from the store`);
    this.name = 'ContentGone';
  }
}
