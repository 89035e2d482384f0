/**
 * Files by CFDP: the driver of the default link brings them, and is asked for each again and again. Mission Control
 * Service, section 4.7 rule 7. The verb: `contract/cfdp.ts`.
 *
 * F1. While a transfer waits for bytes and the link is available, the driver is asked every five seconds, in the same
 *     words: it begins again what failed, or what it knows nothing of (MC-CFDP-002, MC-CFDP-006). Nothing is kept here
 *     that another leader would need.
 * F2. No telecommand is sent (MC-CFDP-010).
 * F3. Of an upload nothing counts as being on board before all of it is. It is asked for under the lease of its run
 *     only; a download, where no run holds the target but the one that asked for it.
 * F4. One question for a transfer at a time, and a bounded number for a target: those asked longest ago go first, of
 *     these the first by priority and age. A driver that is silent holds up no other target.
 */

import { assertNever } from '../../contract/assert.ts';
import { header } from '../../contract/bus/headers.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { type CfdpCall, type CfdpReply, readCfdpReply } from '../../contract/cfdp.ts';
import { CFDP_ASK_MS, CFDP_ASKED_AT_ONCE } from '../../contract/limits/cfdp.ts';
import type { StoredTransfer } from '../../contract/transfer.ts';
import { type Asked, askOrAway, type BusAway } from '../../messaging/ask.ts';
import {
  type Delivery,
  type DeliveryPlace,
  type DeliveryTools,
  type Obstacle,
  obstacleOf,
  type Undelivered,
} from './delivery.ts';

/** A transfer that the driver is asked for. */
interface Asking {
  askedAt: number;
  isPending: boolean;
  /** What the driver counts of it; undefined: it is to begin. */
  bytes: number | undefined;
  /** It said so last time, too. */
  isCompleted: boolean;
}

type Answer = NonNullable<ReturnType<typeof readCfdpReply>>;

export class Cfdp implements Delivery {
  readonly #options: DeliveryTools;
  readonly #asking = new Map<string, Asking>();

  constructor(options: DeliveryTools) {
    this.#options = options;
  }

  turn(place: DeliveryPlace, transfers: readonly Undelivered[]): void {
    const { links, clock, holds, waits } = this.#options;
    const found = links.of(place.mission, place.target);
    const obstacles = new Map(transfers.map((each) => [each.key, this.#obstacleTo(each, found)]));
    for (const each of transfers) waits.turn(each, obstacles.get(each.key));
    const driver = 'reason' in found ? undefined : found.link.driver;
    const free = transfers.filter(({ key }) => obstacles.get(key) === undefined);
    let room = CFDP_ASKED_AT_ONCE - transfers.filter(({ key }) => this.#asking.get(key)?.isPending).length;
    for (const each of this.#due(free, clock.now())) {
      if (driver === undefined || room <= 0 || !holds()) return;
      room -= 1;
      this.#ask(driver, place, each);
    }
  }

  arrived(): void {
    // The driver asks the spacecraft for what is missing.
  }

  forget(key: string): void {
    this.#asking.delete(key);
    this.#options.waits.forget(key);
  }

  reread(key: string): void {
    this.#options.waits.forget(key);
  }

  /** Answers that are still on their way count for nothing. */
  stop(): void {
    this.#asking.clear();
  }

  /** In the order in which they are asked (F4). */
  #due(transfers: readonly Undelivered[], now: number): Undelivered[] {
    const askedAt = ({ key }: Undelivered): number => this.#asking.get(key)?.askedAt ?? 0;
    const due = transfers.filter(({ key }) => {
      const known = this.#asking.get(key);
      return known === undefined || (!known.isPending && Math.abs(now - known.askedAt) >= CFDP_ASK_MS);
    });
    return due.sort((a, b) => askedAt(a) - askedAt(b) || byRank(a, b));
  }

  /** Why the driver is not asked for it now (F3). */
  #obstacleTo(transfer: Undelivered, found: ReturnType<DeliveryTools['links']['of']>): Obstacle | undefined {
    const { target, direction, actor } = transfer.record;
    const isUpload = direction === 'upload';
    const asked = { target, run: actor.run, changesState: isUpload, onlyUnderLease: isUpload };
    const obstacle = obstacleOf(transfer, this.#options.leases.ask(asked), found);
    if (obstacle !== undefined || 'reason' in found || found.link.driver !== undefined) return obstacle;
    return { reason: `no driver is bound to link ${found.link.name}` };
  }

  #ask(driver: string, { mission }: DeliveryPlace, transfer: Undelivered): void {
    const { bus, clock, log } = this.#options;
    const { key, record } = transfer;
    const asking = this.#begun(transfer);
    asking.askedAt = clock.now();
    asking.isPending = true;
    const question = {
      to: subject.driverVerb(driver, 'cfdp'),
      call: callOf(record),
      read: readCfdpReply,
      timeoutMs: CFDP_ASK_MS,
      headers: { [header.config]: mission.revision },
    };
    void askOrAway(bus, question)
      .then((asked) => {
        if (this.#asking.get(key) === asking) this.#answered(driver, transfer, asking, asked);
      })
      .catch((error: unknown) => log.error({ err: error, transfer: key }, 'driver not asked for a file'))
      .finally(() => {
        asking.isPending = false;
      });
  }

  #begun({ key, record, received }: Undelivered): Asking {
    const asking = this.#asking.get(key) ?? {
      askedAt: 0,
      isPending: false,
      bytes: undefined,
      isCompleted: false,
    };
    this.#asking.set(key, asking);
    const { direction, target, size } = record;
    if (asking.bytes === undefined && direction === 'download')
      this.#options.events.asked(target, size - received.total);
    asking.bytes ??= 0;
    return asking;
  }

  #answered(driver: string, transfer: Undelivered, asking: Asking, asked: Asked<Answer> | BusAway): void {
    const { key } = transfer;
    const hindered = (reason: string): void => this.#options.waits.failed(key, `driver ${driver} ${reason}`);
    switch (asked.outcome) {
      case 'answered':
        if (asked.answer.ok) return this.#took(driver, transfer, asking, asked.answer.value);
        return hindered(`refuses: ${asked.answer.faults.map(({ message }) => message).join('; ')}`);
      case 'unserved':
        return hindered('is not there: no process serves it');
      case 'unanswered':
        return asked.mayBeDone ? hindered('did not answer in time') : undefined;
      case 'unreadable':
        return hindered(`gave a malformed reply: ${asked.said}`);
      case 'bus-away':
        return undefined;
      default:
        return assertNever(asked);
    }
  }

  #took(driver: string, { key, record, received }: Undelivered, asking: Asking, reply: CfdpReply): void {
    const { events, waits } = this.#options;
    const wasCompleted = asking.isCompleted;
    asking.isCompleted = reply.outcome === 'completed';
    switch (reply.outcome) {
      case 'running':
        this.#progressed(record, asking, reply.bytes);
        return waits.failed(key, undefined);
      case 'failed':
        asking.bytes = undefined;
        return waits.failed(key, `CFDP failed and begins again: ${reply.reason}`);
      case 'completed':
        this.#progressed(record, asking, record.size);
        if (record.direction === 'upload') events.acknowledged(key, [0, record.size]);
        // A download is over when its bytes are here, which the driver cannot see.
        if (record.direction === 'upload' || !wasCompleted) return waits.failed(key, undefined);
        return waits.failed(
          key,
          `driver ${driver} has the whole file, and ${record.size - received.total} bytes did not arrive`,
        );
      default:
        return assertNever(reply);
    }
  }

  /** Of an upload: what is sent counts as it goes. */
  #progressed({ direction, target, size }: StoredTransfer, asking: Asking, bytes: number): void {
    const now = Math.min(bytes, size);
    const more = now - (asking.bytes ?? 0);
    asking.bytes = now;
    if (direction === 'upload' && more > 0) this.#options.events.asked(target, more);
  }
}

/** By priority, then by age (MC-XFER-003). */
function byRank({ record: a }: Undelivered, { record: b }: Undelivered): number {
  return b.priority - a.priority || Date.parse(a.created_at) - Date.parse(b.created_at);
}

function callOf({
  target,
  file_id,
  generation,
  direction,
  file_type,
  size,
  source,
}: StoredTransfer): CfdpCall {
  const more = { ...(file_type !== undefined && { file_type }), ...(source !== undefined && { source }) };
  return { target, file_id, generation, direction, size, ...more };
}
