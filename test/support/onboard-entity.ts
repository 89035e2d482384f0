/** The spacecraft's end of CFDP for tests: it has files, gives those asked for and takes what is sent to it. */

import { condition } from '../../protocol/cfdp/condition.ts';
import { CfdpEntity, type EntityOptions } from '../../protocol/cfdp/entity.ts';
import type { CfdpEvent } from '../../protocol/cfdp/event.ts';
import type { TransactionId } from '../../protocol/cfdp/user-message.ts';

interface OnboardOptions extends Pick<EntityOptions, 'settings' | 'peer'> {
  /** ms, ever rising. */
  readonly now: () => number;
  /** The bytes of a file; undefined: there is no such file. */
  readonly content: (name: string) => Buffer | undefined;
}

export class OnboardEntity {
  readonly entity: CfdpEntity;
  /** Names of the files that were asked for, in order. */
  readonly asked: string[] = [];
  /** What went up whole, by name. */
  readonly taken = new Map<string, Buffer>();
  readonly #options: OnboardOptions;
  readonly #sending = new Map<string, Buffer>();
  readonly #arriving = new Map<string, { readonly name: string; readonly bytes: Buffer }>();

  constructor(options: OnboardOptions) {
    this.#options = options;
    const { settings, peer, now } = options;
    const emit = (event: CfdpEvent): void => this.#on(event);
    this.entity = new CfdpEntity({ settings, peer, wallMs: Date.now(), accept: () => true, emit }, now());
  }

  receive(pdu: Buffer): void {
    this.entity.receive(pdu, this.#options.now());
  }

  /** PDUs to send now, at most so many. */
  take(most: number): Buffer[] {
    const now = this.#options.now();
    this.entity.tick(now);
    const pdus: Buffer[] = [];
    while (pdus.length < most) {
      for (const { id, range } of this.entity.wanted())
        this.entity.give(id, range[0], this.#sending.get(keyOf(id))?.subarray(...range), now);
      const pdu = this.entity.pull(now);
      if (pdu === undefined) break;
      pdus.push(Buffer.from(pdu));
    }
    return pdus;
  }

  #on(event: CfdpEvent): void {
    const now = this.#options.now();
    switch (event.kind) {
      case 'proxyPut':
        return this.#serve(event.id, event.sourceName, event.destinationName, now);
      case 'metadata': {
        const { destinationName: name, size } = event.metadata;
        if (event.role === 'receiver' && name !== '')
          this.#arriving.set(keyOf(event.id), { name, bytes: Buffer.alloc(size) });
        return;
      }
      case 'chunk':
        return void this.#arriving.get(keyOf(event.id))?.bytes.set(event.bytes, event.offset);
      case 'ended': {
        const arriving = this.#arriving.get(keyOf(event.id));
        if (event.role === 'receiver' && arriving !== undefined && event.outcome.complete)
          this.taken.set(arriving.name, arriving.bytes);
        return;
      }
      default:
    }
  }

  #serve(originating: TransactionId, sourceName: string, destinationName: string, now: number): void {
    this.asked.push(sourceName);
    const content = this.#options.content(sourceName);
    if (content === undefined) return this.entity.refusePut(originating, condition.filestoreRejection, now);
    const file = { sourceName, destinationName, size: content.length };
    const put = this.entity.put({ file, originating }, now);
    if (put.ok) this.#sending.set(keyOf(put.value), content);
  }
}

function keyOf({ source, sequence }: TransactionId): string {
  return `${source}:${sequence}`;
}
