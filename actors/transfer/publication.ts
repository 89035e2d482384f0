/**
 * Publishes the states of transfers as the measure `transfer` of their files. Mission Control Service, section 3.5.
 *
 * P1. A state is dated behind those that were published here of earlier generations of the file, also where its own
 *     time is before theirs: they go by their times (known-files.K3), and whoever asked for the next generation may
 *     have done so a moment before.
 * P2. Twice the same is one message.
 */

import { type DecodedBatch, encodeBatch } from '../../contract/batch.ts';
import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { TRANSFER_FILES_DATED } from '../../contract/limits/transfer.ts';
import { type TransferName, transferKey } from '../../contract/transfer.ts';
import type { TransferEffect } from '../../machines/transfer/protocol.ts';
import type { Bus } from '../../ports/bus.ts';
import type { MissionSource } from '../../ports/mission-source.ts';

interface PublicationOptions {
  readonly bus: Bus;
  readonly missions: MissionSource;
}

export class Publication {
  readonly #options: PublicationOptions;
  /** When the last state of each generation is dated, by file; those of which nothing was published for longest go. */
  readonly #dated = new Map<string, Map<number, number>>();

  constructor(options: PublicationOptions) {
    this.#options = options;
  }

  /** Throws `Outage`. */
  async publish({ name, change }: Extract<TransferEffect, { type: 'effect.publish' }>): Promise<void> {
    const { bus, missions } = this.#options;
    const target = missions.current?.targets.get(name.target);
    if (target?.platform === undefined) return;
    const batch: DecodedBatch = {
      platform: target.platform.digest,
      link: target.defaultLink,
      blocks: [],
      reports: [],
      files: [
        {
          file: name.file_id,
          ground: this.#date(name, Date.parse(change.at)),
          onboard: Number.NaN,
          transfer: change.state,
          transfer_generation: name.generation,
        },
      ],
    };
    const id = `transfer-${transferKey(name)}-${change.state}-${change.at}`;
    const headers = { [header.config]: missions.current?.revision ?? '' };
    await bus.append(streams.decoded, subject.decoded(name.target), encodeBatch(batch), { id, headers });
  }

  /** P1 */
  #date({ target, file_id, generation }: TransferName, at: number): number {
    const file = `${target}.${file_id}`;
    const dated = this.#dated.get(file) ?? new Map<number, number>();
    this.#dated.delete(file);
    this.#dated.set(file, dated);
    for (const oldest of this.#dated.keys()) {
      if (this.#dated.size <= TRANSFER_FILES_DATED) break;
      this.#dated.delete(oldest);
    }
    let date = at;
    for (const [of, last] of dated) if (of < generation) date = Math.max(date, last + 1);
    dated.set(generation, Math.max(date, dated.get(generation) ?? date));
    return date;
  }
}
