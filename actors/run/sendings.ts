/**
 * The telecommands that a run has announced and that may not have left yet, from the events of its log. Mission Control
 * Service, section 3.2.
 *
 * O1. One that has ended is over, but for a SEND_FAILED: nobody may know whether its frame left, and for `FENCE_MS` it
 *     may.
 * O2. A suspension is logged once nothing can leave any more (`stand-down.ts`): what was announced before it is over.
 */

import { FENCE_MS } from '../../contract/limits/telecommand.ts';
import type { RunEvent } from '../../contract/run-event.ts';

/** As its log announces it. */
export type SentEvent = Extract<RunEvent, { event: 'telecommand_sent' }>;

/** One that may not have left yet, as it is kept; `failedAt`: since when it is SEND_FAILED (O1). */
export interface OpenSending {
  readonly sent: SentEvent;
  readonly failedAt?: number;
}

export class Sendings {
  readonly #open: Map<string, { readonly sent: SentEvent; failedAt?: number }>;

  /** From events of its log; `before`: behind those that these were kept of. */
  constructor(events: Iterable<RunEvent> = [], before: readonly OpenSending[] = []) {
    this.#open = new Map(before.map((open) => [open.sent.tc, { ...open }]));
    for (const event of events) this.note(event);
  }

  note(event: RunEvent): void {
    if (event.event === 'telecommand_sent') this.#open.set(event.tc, { sent: event });
    else if (event.event === 'telecommand_finished') this.#ended(event);
    else if (event.event === 'suspended' || event.event === 'finished') this.#open.clear();
  }

  /** Those that may not have left yet. */
  get open(): readonly SentEvent[] {
    return [...this.#open.values()].map(({ sent }) => sent);
  }

  get kept(): readonly OpenSending[] {
    return [...this.#open.values()].map((open) => ({ ...open }));
  }

  #ended({ tc, state, at }: Extract<RunEvent, { event: 'telecommand_finished' }>): void {
    const now = Date.parse(at);
    for (const [other, { failedAt = now }] of this.#open)
      if (now - failedAt > FENCE_MS) this.#open.delete(other);
    const open = this.#open.get(tc);
    if (state === 'SEND_FAILED' && open !== undefined) open.failedAt = now;
    else this.#open.delete(tc);
  }
}
