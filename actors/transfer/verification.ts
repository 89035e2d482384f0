/**
 * What a file that is there whole comes to: put together, and its checksum beside the one that was listed. Mission
 * Control Service, section 4.7 rules 3, 5 and 8.
 */

import type { StoredTransfer } from '../../contract/transfer.ts';
import type { Comparison, TransferChartEvent } from '../../machines/transfer/protocol.ts';
import type { FilesConfiguration } from '../../mission/configuration.ts';
import type { ListedFile } from '../../ports/file-directory.ts';
import type { MissionSource } from '../../ports/mission-source.ts';
import type { Assembly } from './assembly.ts';
import type { Listings } from './listings.ts';
import { checkUpload } from './upload-check.ts';

export type Compared = Omit<Extract<TransferChartEvent, { type: 'checksum.compared' }>, 'at'>;

interface VerificationOptions {
  readonly missions: MissionSource;
  readonly assembly: Assembly;
  readonly listings: Listings;
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
    const algorithm = files?.transfer.checksum;
    const compare = (listed: string | undefined): Promise<Comparison> =>
      this.#options.assembly.compare(record, algorithm, listed);
    if (isDownload) return { ...compared, comparison: await compare(this.#checksumListed(record)) };
    const endedAt = completedAt(record);
    const next = (after: number): Promise<ListedFile | undefined> => this.#nextListing(record, after, signal);
    const { generation } = record;
    const comparison = await checkUpload({ endedAt, generation, next, compare });
    return comparison === undefined || signal.aborted ? undefined : { ...compared, comparison };
  }

  /** What was listed of the very generation (assembly.V2). */
  #checksumListed(record: StoredTransfer): string | undefined {
    const listed = this.#options.listings.file(record.target, record.file_id);
    const isOfIt = (listed?.generation ?? 0) === record.generation;
    return (isOfIt ? listed?.checksum : undefined) ?? record.checksum;
  }

  /** The first listing of its generation behind that time, or of a later one (transfer/service.S5). */
  #nextListing(record: StoredTransfer, after: number, signal: AbortSignal): Promise<ListedFile | undefined> {
    const fits = ({ listedAt, generation = record.generation }: ListedFile): boolean =>
      generation > record.generation || (listedAt > after && generation === record.generation);
    return this.#options.listings.fitting(record, fits, signal);
  }

  #filesOf({ target }: StoredTransfer): FilesConfiguration | undefined {
    return this.#options.missions.current?.targets.get(target)?.platform?.files;
  }
}

/** When every byte of an upload was on board, ms since 1970. */
function completedAt({ actor, updated_at }: StoredTransfer): number {
  const completed = actor.changes.findLast(({ state }) => state === 'COMPLETE');
  return Date.parse(completed?.at ?? updated_at);
}
