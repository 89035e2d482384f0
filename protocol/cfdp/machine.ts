/**
 * What the machines of both ends of a transaction share: their time, how they are suspended, faults, the result.
 * CCSDS 727.0-B-5, section 4.8.
 *
 * C1. While the link is down or the transaction is suspended, nothing is sent and no timer moves; what comes is taken.
 *     When time runs again, what was under way counts as lost.
 * C2. The result is reported once.
 * C3. A fault is handled as the metadata say, else as the settings say, else it cancels.
 */

import { type Condition, condition, defaultHandler, type FaultHandlers } from './condition.ts';
import type { Outcome, TransactionEvent } from './event.ts';
import type { PduBody } from './pdu.ts';
import { RunningTime } from './running-time.ts';

export abstract class Machine {
  readonly time = new RunningTime();
  /** PDUs, or parts of them, that made no sense. */
  ignored = 0;
  protected handlers: FaultHandlers;
  protected readonly emit: (event: TransactionEvent) => void;
  #isReported = false;

  constructor(handlers: FaultHandlers, emit: (event: TransactionEvent) => void) {
    this.handlers = handlers;
    this.emit = emit;
  }

  /** Takes a PDU of the other entity. */
  abstract receive(body: PduBody, now: number): void;

  /** What is sent next; undefined when there is nothing to send, or nothing may be (C1). */
  abstract pull(now: number): PduBody | undefined;

  /** Does what is due by now. */
  abstract tick(now: number): void;

  /** Ends it with a condition, also while it is suspended. */
  abstract cancel(now: number, code?: Condition): void;

  protected abstract afterStop(now: number): void;

  /** Goes on in spite of a fault. */
  protected abstract tolerate(code: Condition, now: number): void;

  protected abstract close(): void;

  /** When `tick` has something to do. */
  get nextDue(): number | undefined {
    return this.time.nextDue;
  }

  suspend(now: number): void {
    this.time.stop('suspended', now);
  }

  resume(now: number): void {
    if (this.time.start('suspended', now)) this.afterStop(now);
  }

  linkDown(now: number): void {
    this.time.stop('link', now);
  }

  linkUp(now: number): void {
    if (this.time.start('link', now)) this.afterStop(now);
  }

  protected fault(code: Condition, now: number): void {
    const handler = this.handlers[code] ?? defaultHandler(code);
    this.emit({ kind: 'fault', condition: code, handler });
    switch (handler) {
      case 'cancel':
        return this.cancel(now, code);
      case 'abandon':
        return this.abandon(code);
      case 'suspend':
        this.suspend(now);
        return this.tolerate(code, now);
      case 'ignore':
        return this.tolerate(code, now);
    }
  }

  /** Ends it without another word. */
  protected abandon(code: Condition): void {
    this.report({ condition: code, complete: false, verified: false });
    this.close();
  }

  /** The result stays what it was; the other entity may never learn of it. */
  protected giveUp(): void {
    this.emit({ kind: 'fault', condition: condition.positiveAckLimit, handler: 'abandon' });
    this.close();
  }

  protected report(outcome: Outcome): void {
    if (this.#isReported) return;
    this.#isReported = true;
    this.emit({ kind: 'ended', outcome });
  }
}
