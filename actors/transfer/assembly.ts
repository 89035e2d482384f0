/**
 * Makes one object of the parts of a file, and looks at checksums. Mission Control Service, section 4.7 rules 3, 5 and
 * 8.
 *
 * V1. Nothing of a file is held but the piece that passes, and so many files at once in all.
 * V2. What is compared is the checksum that was listed last of the very generation (MC-GEN-022).
 */

import { createHash } from 'node:crypto';
import { objectStores } from '../../contract/bus/buckets.ts';
import { TRANSFER_ASSEMBLIES_AT_ONCE } from '../../contract/limits/transfer.ts';
import {
  type AssembledContent,
  contentObject,
  partsOf,
  type StoredTransfer,
} from '../../contract/transfer.ts';
import type { Comparison } from '../../machines/transfer/protocol.ts';
import type { Bus } from '../../ports/bus.ts';
import type { ChecksumOf } from '../../ports/checksums.ts';
import type { Parts } from './parts.ts';
import { Turns } from './turns.ts';

export class Assembly {
  readonly #bus: Bus;
  readonly #parts: Parts;
  readonly #checksumOf: ChecksumOf;
  readonly #turns = new Turns(TRANSFER_ASSEMBLIES_AT_ONCE);

  constructor(bus: Bus, parts: Parts, checksumOf: ChecksumOf) {
    this.#bus = bus;
    this.#checksumOf = checksumOf;
    this.#parts = parts;
  }

  /** The file as it is stored whole; rejects with `PartGone` and `Outage`. */
  assemble(record: StoredTransfer, algorithm: string | undefined): Promise<AssembledContent> {
    return this.#turns.take(async () => {
      const sha256 = createHash('sha256');
      const checksum = algorithm === undefined ? undefined : this.#checksumOf(algorithm);
      const parts = this.#parts;
      async function* pieces() {
        for await (const piece of parts.read(partsOf(record), record.size)) {
          sha256.update(piece);
          checksum?.add(piece);
          yield piece;
        }
      }
      await this.#bus.objects(objectStores.files).replace(contentObject(record), pieces());
      return {
        sha256: sha256.digest('hex'),
        ...(algorithm !== undefined && checksum !== undefined && { algorithm, checksum: checksum.end() }),
      };
    });
  }

  /** What the checksum of the content is, beside the listed one (V2). Rejects with `ContentGone` and `Outage`. */
  async compare(
    record: StoredTransfer,
    algorithm: string | undefined,
    listed: string | undefined,
  ): Promise<Comparison> {
    if (algorithm === undefined || algorithm === 'null') return { outcome: 'nothing' };
    if (this.#checksumOf(algorithm) === undefined) return { outcome: 'unavailable', algorithm };
    if (listed === undefined) return { outcome: 'nothing' };
    const { content } = record.actor;
    const computed =
      content?.algorithm === algorithm && content.checksum !== undefined
        ? content.checksum
        : await this.#turns.take(() => this.#checksum(record, algorithm));
    if (computed.toLowerCase() === listed.toLowerCase()) return { outcome: 'equal' };
    return { outcome: 'differs', algorithm, computed, listed };
  }

  async #checksum(record: StoredTransfer, algorithm: string): Promise<string> {
    const checksum = this.#checksumOf(algorithm)!;
    if (record.size > 0) {
      const content = await this.#contentOf(record);
      for await (const piece of content) checksum.add(piece);
    }
    return checksum.end();
  }

  async #contentOf(record: StoredTransfer): Promise<AsyncIterable<Uint8Array>> {
    const { direction, source = '' } = record;
    const object = direction === 'upload' ? source : contentObject(record);
    const store = direction === 'upload' ? objectStores.uploads : objectStores.files;
    const content = await this.#bus.objects(store).read(object);
    if (content === undefined) throw new Error(`${object} is not in ${store.name} any more`);
    return content.pieces;
  }
}
