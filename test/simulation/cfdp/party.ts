/**
 * One end of the link: an entity and who uses it. The ground wants files and asks again after each failure, as the
 * driver does; the spacecraft serves what it is asked for and takes what it is sent. A restart forgets everything.
 */

import { ByteRanges } from '../../../contract/byte-ranges.ts';
import { condition } from '../../../protocol/cfdp/condition.ts';
import { CfdpEntity } from '../../../protocol/cfdp/entity.ts';
import type { CfdpEvent } from '../../../protocol/cfdp/event.ts';
import type { TransactionId } from '../../../protocol/cfdp/user-message.ts';
import { contentOf } from './content.ts';
import type { CfdpScenario, End, FileOrder } from './scenario.ts';

const ID = { ground: 1n, space: 2n } as const;
/** 2030 on the calendar. */
const WALL_MS = 1_900_000_000_000;
/** As often as the transfer manager asks its driver. */
const ASK_MS = 5_000;

export interface Wish {
  readonly order: FileOrder;
  id: TransactionId | undefined;
  askedAt: number;
  attempts: number;
  state: 'wanted' | 'asked' | 'done' | 'cancelled';
  doneAt: number;
}

interface Arriving {
  readonly name: string;
  readonly size: number;
  readonly ranges: ByteRanges;
}

export class Party {
  readonly end: End;
  /** What must never be. */
  readonly faults: string[] = [];
  /** Faults of transactions, which may be. */
  readonly failures: string[] = [];
  readonly wishes: Wish[];
  /** Files that are whole here, and how often each became so. */
  readonly whole = new Map<string, number>();
  entity: CfdpEntity;
  life = 0;
  /** Numbers used by all lives. */
  readonly used = new Set<string>();
  readonly #scenario: CfdpScenario;
  readonly #sending = new Map<string, string>();
  readonly #arriving = new Map<string, Arriving>();
  isDown = false;

  constructor(end: End, scenario: CfdpScenario, orders: readonly FileOrder[]) {
    this.end = end;
    this.#scenario = scenario;
    this.wishes = orders.map((order) => {
      return { order, id: undefined, askedAt: -ASK_MS, attempts: 0, state: 'wanted', doneAt: 0 };
    });
    this.entity = this.#born(0);
  }

  #born(now: number): CfdpEntity {
    const life = this.life;
    return new CfdpEntity(
      {
        settings: { local: ID[this.end], ...this.#scenario.settings },
        peer: ID[this.end === 'ground' ? 'space' : 'ground'],
        wallMs: WALL_MS + now,
        accept: () => this.end === 'space',
        emit: (event) => life === this.life && this.#on(event),
      },
      now,
    );
  }

  /** Everything is forgotten. */
  restart(now: number, isLinkUp: boolean): void {
    this.life += 1;
    this.isDown = false;
    this.#sending.clear();
    this.#arriving.clear();
    for (const wish of this.wishes) if (wish.state === 'asked') wish.state = 'wanted';
    this.entity = this.#born(now);
    if (!isLinkUp) this.entity.linkDown(now);
  }

  #now = 0;

  /** Asks again for what is wanted and not under way. */
  ask(now: number): void {
    this.#now = now;
    for (const wish of this.wishes) {
      const { order } = wish;
      if (wish.state !== 'wanted' || now < order.at || now < wish.askedAt + ASK_MS) continue;
      const { name, size } = order;
      const asked =
        order.direction === 'down'
          ? this.entity.get({ sourceName: name, destinationName: name }, now)
          : this.entity.put({ file: { sourceName: name, destinationName: name, size } }, now);
      wish.askedAt = now;
      if (!asked.ok) continue;
      wish.attempts += 1;
      wish.id = asked.value;
      wish.state = 'asked';
      this.#begun(asked.value, order.direction === 'up' ? name : undefined);
    }
  }

  #begun(id: TransactionId, name: string | undefined): void {
    const key = `${id.source}:${id.sequence}`;
    if (this.used.has(key) && this.#scenario.settings.sequenceBytes > 2)
      this.faults.push(`${key} was used before`);
    this.used.add(key);
    if (name !== undefined) this.#sending.set(key, name);
  }

  /** When `ask` has something to do. */
  get nextAsk(): number | undefined {
    const due = this.wishes
      .filter(({ state }) => state === 'wanted')
      .map(({ order, askedAt }) => Math.max(order.at, askedAt + ASK_MS));
    return due.length === 0 ? undefined : Math.min(...due);
  }

  /** Gives the entity what it needs of its files. */
  feed(now: number): void {
    for (const { id, range } of this.entity.wanted()) {
      const name = this.#sending.get(`${id.source}:${id.sequence}`);
      const [start, end] = range;
      this.entity.give(id, start, name === undefined ? undefined : contentOf(name, start, end - start), now);
    }
  }

  receive(pdu: Buffer, now: number): void {
    this.#now = now;
    this.entity.receive(pdu, now);
  }

  #on(event: CfdpEvent): void {
    switch (event.kind) {
      case 'proxyPut':
        return this.#serve(event.id, event.sourceName, event.destinationName);
      case 'metadata':
        if (event.role === 'receiver' && event.metadata.sourceName !== '') {
          const { sourceName: name, size } = event.metadata;
          this.#arriving.set(`${event.id.source}:${event.id.sequence}`, {
            name,
            size,
            ranges: new ByteRanges(),
          });
        }
        return;
      case 'chunk':
        return this.#chunk(event.id, event.offset, event.bytes);
      case 'ended':
        return this.#ended(event.id, event.role, event.outcome.condition, event.outcome.complete);
      case 'downloadEnded':
        return this.#wishEnded(event.id, event.outcome.condition === condition.noError);
      case 'fault':
        this.failures.push(`${event.role}: condition ${event.condition} at ${this.#now}`);
        return;
      default:
        return;
    }
  }

  #serve(id: TransactionId, name: string, destinationName: string): void {
    const order = this.#scenario.files.find((file) => file.name === name);
    if (order === undefined) return this.entity.refusePut(id, condition.filestoreRejection, this.#now);
    const file = { sourceName: name, destinationName, size: order.size };
    const put = this.entity.put({ file, originating: id }, this.#now);
    if (put.ok) this.#begun(put.value, name);
  }

  #chunk(id: TransactionId, offset: number, bytes: Uint8Array): void {
    const arriving = this.#arriving.get(`${id.source}:${id.sequence}`);
    if (arriving === undefined) return void this.faults.push('a chunk before its metadata');
    const { name, ranges } = arriving;
    if (!contentOf(name, offset, bytes.length).equals(bytes))
      this.faults.push(`${name}: wrong bytes at ${offset}`);
    const added = ranges.add(offset, offset + bytes.length);
    if (added?.length !== 1 || added[0]![1] - added[0]![0] !== bytes.length) {
      this.faults.push(`${name}: bytes at ${offset} came twice`);
    }
  }

  #ended(id: TransactionId, role: string, code: number, complete: boolean): void {
    const key = `${id.source}:${id.sequence}`;
    if (role === 'receiver') {
      const arriving = this.#arriving.get(key);
      this.#arriving.delete(key);
      if (arriving === undefined || !complete) return;
      if (!arriving.ranges.covers(0, arriving.size))
        this.faults.push(`${arriving.name}: complete with a gap`);
      this.whole.set(arriving.name, (this.whole.get(arriving.name) ?? 0) + 1);
      return;
    }
    const name = this.#sending.get(key);
    if (name !== undefined && this.end === 'ground')
      this.#wishEnded(id, code === condition.noError && complete);
  }

  #wishEnded(id: TransactionId, success: boolean): void {
    const wish = this.wishes.find((each) => each.state === 'asked' && each.id?.sequence === id.sequence);
    if (wish === undefined) return;
    wish.state = success ? 'done' : 'wanted';
    wish.doneAt = this.#now;
  }

  wishOf(name: string): Wish | undefined {
    return this.wishes.find(({ order }) => order.name === name);
  }
}
