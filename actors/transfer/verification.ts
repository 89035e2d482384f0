/**
 * What a file that is there whole comes to: put together, and its checksum beside the one that was listed. Mission
 * Control Service, section 4.7 rules 3, 5 and 8.
 */

import type { StoredTransfer } from '../../contract/transfer.ts';
import type { TransferChartEvent } from '../../machines/transfer/protocol.ts';
import type { FilesConfiguration } from '../../mission/configuration.ts';
import type { ListedFile } from '../../ports/file-directory.ts';
import type { MissionSource } from '../../ports/mission-source.ts';
import type { Assembly } from './assembly.ts';
import type { Listings } from './listings.ts';

export type Compared = Omit<Extract<TransferChartEvent, { type: 'checksum.compared' }>, 'at'>;

interface VerificationOptions {
  readonly missions: MissionSource;
  readonly assembly: Assembly;
  readonly listings: Listings;
  /** Why an upload waits for its listing. */
  readonly hindered: (record: StoredTransfer, reason: string) => void;
}

export class Verification {
  readonly #options: VerificationOptions;

  constructor(options: VerificationOptions) {
    this.#options = options;
  }

  /** Rejects with `PartGone` and `Outage`. */
  async assemble(record: StoredTransfer): Promise<StoredTransfer['actor']['content']> {
    if (record.direction === 'upload') return { sha256: record.source ?? '' };
    return this.#options.assembly.assemble(record, this.#filesOf(record)?.transfer.checksum);
  }

  /** Of an upload once it is listed; undefined when `signal` ended the wait. Rejects with `Outage`. */
  async verify(record: StoredTransfer, signal: AbortSignal): Promise<Compared | undefined> {
    const files = this.#filesOf(record);
    const isDownload = record.direction === 'download';
    const isType = files?.types.some(({ number, decode }) => decode && number === record.file_type) === true;
    const compared = { type: 'checksum.compared', decodable: isDownload && isType } as const;
    if (!isDownload && files?.transfer.list === undefined)
      return { ...compared, comparison: { outcome: 'unlisted' } };
    const listed = isDownload ? this.#checksumListed(record) : await this.#nextListing(record, signal);
    if (signal.aborted) return undefined;
    const algorithm = this.#filesOf(record)?.transfer.checksum;
    const comparison = await this.#options.assembly.compare(record, algorithm, listed);
    return { ...compared, comparison };
  }

  /** What was listed of the very generation (assembly.V2). */
  #checksumListed(record: StoredTransfer): string | undefined {
    const listed = this.#options.listings.file(record.target, record.file_id);
    const isOfIt = (listed?.generation ?? 0) === record.generation;
    return (isOfIt ? listed?.checksum : undefined) ?? record.checksum;
  }

  /** That of the first listing behind the end of an upload: a later generation says nothing of it (transfer/service.S5). */
  async #nextListing(record: StoredTransfer, signal: AbortSignal): Promise<string | undefined> {
    const { listings, hindered } = this.#options;
    const completed = record.actor.changes.findLast(({ state }) => state === 'COMPLETE');
    const after = Date.parse(completed?.at ?? record.updated_at);
    const fits = ({ listedAt, generation = record.generation }: ListedFile): boolean => {
      if (generation > record.generation)
        hindered(record, `on board is generation ${generation}: it was never verified`);
      return listedAt > after && generation === record.generation;
    };
    return (await listings.fitting(record, fits, signal))?.checksum;
  }

  #filesOf({ target }: StoredTransfer): FilesConfiguration | undefined {
    return this.#options.missions.current?.targets.get(target)?.platform?.files;
  }
}
