/**
 * A driver that speaks CFDP, as the transfer manager sees it: idempotent, without any memory across its restart, and
 * with its own way of asking again for what was lost. Mission Control Service, section 4.7 rule 7.
 */

import { subject } from '../../../contract/bus/subjects.ts';
import type { CfdpCall, CfdpReply } from '../../../contract/cfdp.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { TwinServer } from '../twin/server.ts';
import type { Board } from './board.ts';
import type { Ground } from './ground.ts';
import { CFDP_DRIVER, type FileTarget } from './mission.ts';

const SEGMENT_BYTES = 512;
/** What it does next for a file. */
const TURN_MS = 200;
/** What is not called for stands still (contract/cfdp.C3). */
const CALLED_MS = 15_000;
/** Before a segment that did not arrive is asked for again. */
const MISSING_MS = 6_000;

interface CfdpDriverOptions {
  readonly clock: Clock;
  readonly server: TwinServer;
  readonly ground: Pick<Ground, 'down' | 'freeAt'>;
  readonly boardOf: (target: FileTarget) => Board;
  readonly isLinked: (target: FileTarget) => boolean;
  readonly contentOf: (sha256: string) => Buffer | undefined;
}

interface Transaction {
  readonly call: CfdpCall;
  /** Where the next segment begins. */
  next: number;
  calledAt: number;
  outcome: CfdpReply | undefined;
}

export class CfdpDriver {
  readonly #options: CfdpDriverOptions;
  readonly #open = new Map<string, Transaction>();
  how: 'fails' | 'silent' | undefined;

  constructor(options: CfdpDriverOptions) {
    this.#options = options;
    this.#subscribe();
    options.server.onTurn((up) => {
      if (up) this.#subscribe();
    });
  }

  restart(): void {
    this.#open.clear();
  }

  #subscribe(): void {
    const verb = subject.driverVerb(CFDP_DRIVER, 'cfdp');
    this.#options.server.subscribe({
      by: 'cfdp-driver',
      matches: (about) => about === verb,
      queue: undefined,
      deliver: ({ data }, respond) => {
        if (this.how === 'silent') return;
        const call = JSON.parse(Buffer.from(data).toString()) as CfdpCall;
        const reply = { ok: true, value: this.#answer(call) };
        respond?.(Buffer.from(JSON.stringify(reply)));
      },
    });
  }

  #answer(call: CfdpCall): CfdpReply {
    const key = JSON.stringify(call);
    if (this.how === 'fails') {
      this.#open.delete(key);
      return { outcome: 'failed', reason: 'inactivity' };
    }
    const known = this.#open.get(key);
    if (known !== undefined) {
      known.calledAt = this.#options.clock.now();
      if (known.outcome?.outcome === 'failed') this.#open.delete(key);
      return known.outcome ?? { outcome: 'running', bytes: known.next };
    }
    const begun = { call, next: 0, calledAt: this.#options.clock.now(), outcome: undefined };
    this.#open.set(key, begun);
    this.#later(key, begun, TURN_MS);
    return { outcome: 'running', bytes: 0 };
  }

  #later(key: string, transaction: Transaction, ms: number): void {
    this.#options.clock.setTimeout(() => {
      if (this.#open.get(key) === transaction) this.#goOn(key, transaction);
    }, ms);
  }

  #goOn(key: string, transaction: Transaction): void {
    const { clock, isLinked } = this.#options;
    const target = transaction.call.target as FileTarget;
    const isCalled = clock.now() - transaction.calledAt < CALLED_MS;
    if (transaction.outcome?.outcome === 'completed' && !isCalled) return void this.#open.delete(key);
    if (isLinked(target) && isCalled && transaction.outcome === undefined) this.#segment(transaction);
    this.#later(key, transaction, TURN_MS);
  }

  /** What is lost on the way down is sent again with the whole file, as long as it is called for. */
  #segment(transaction: Transaction): void {
    const { ground, clock, boardOf } = this.#options;
    const { call, next } = transaction;
    const target = call.target as FileTarget;
    const board = boardOf(target);
    if (call.direction === 'upload') return this.#write(transaction, board);
    const length = Math.min(SEGMENT_BYTES, call.size - next);
    if (length <= 0) {
      transaction.outcome = { outcome: 'completed' };
      // A download that is still called for has lost some of it.
      clock.setTimeout(() => {
        transaction.outcome = undefined;
        transaction.next = 0;
      }, MISSING_MS);
      return;
    }
    const read = board.files.read(Number(call.file_id), next, length);
    if (read === undefined) {
      transaction.outcome = { outcome: 'failed', reason: 'no such file' };
      return;
    }
    if (ground.freeAt(target) > clock.now() + 1_000) return;
    transaction.next += length;
    ground.down(target, { file: call.file_id, generation: read.generation, offset: next, data: read.bytes });
  }

  #write(transaction: Transaction, board: Board): void {
    const { call } = transaction;
    const content = this.#options.contentOf(call.source ?? '');
    const end = Math.min(transaction.next + SEGMENT_BYTES, call.size);
    const bytes = content?.subarray(transaction.next, end);
    const isDone = bytes !== undefined && board.write(call.file_id, call.generation, transaction.next, bytes);
    transaction.next = end;
    if (!isDone) transaction.outcome = { outcome: 'failed', reason: 'refused on board' };
    else if (end === call.size) transaction.outcome = { outcome: 'completed' };
  }
}
