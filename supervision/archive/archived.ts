/** What of each stream an archive takes, message by message. */

import type { Archive } from '../../archive/archive.ts';
import { type PlatformColumns, platformColumns } from '../../archive/platform-columns.ts';
import { header } from '../../contract/bus/headers.ts';
import { readEventBatch } from '../../contract/event.ts';
import { EVENT_BATCH_MOST } from '../../contract/limits/event.ts';
import { CATALOGUE_WAIT_MS } from '../../contract/limits/value.ts';
import { retryWhileBusIsAway } from '../../messaging/while-bus-is-away.ts';
import type { StreamMessage } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { KnownPlatforms } from '../../telemetry/reading/known-platforms.ts';
import { archivable } from './readable.ts';

interface ArchivedValuesOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly platforms: KnownPlatforms;
}

/**
 * Values. The columns of a batch are those of the revision that it was made under; of a platform that nobody knows any
 * more they are kept by their ordinals (platform-columns.C2).
 */
export class ArchivedValues {
  readonly #options: ArchivedValuesOptions;
  /** By digest. */
  readonly #columns = new Map<string, PlatformColumns>();
  readonly #unknown = new Map<string, PlatformColumns>();

  constructor(options: ArchivedValuesOptions) {
    this.#options = options;
  }

  async give(archive: Archive, message: StreamMessage, signal: AbortSignal): Promise<boolean | undefined> {
    const { seq, at, data, subject } = message;
    const batch = archivable(data);
    if (batch === undefined) return false;
    const columns = await this.#columnsOf(batch.platform, message.headers[header.config], signal);
    if (columns === undefined) return undefined;
    const target = subject.slice(subject.lastIndexOf('.') + 1);
    await archive.append({ target, position: seq, storedMs: at, batch, bytes: data.length }, columns);
    return true;
  }

  /** Undefined when it is over. */
  async #columnsOf(
    digest: string,
    revision: string | undefined,
    signal: AbortSignal,
  ): Promise<PlatformColumns | undefined> {
    const known = this.#columns.get(digest);
    if (known !== undefined) return known;
    const { clock, platforms, log } = this.#options;
    const found = await retryWhileBusIsAway({ clock, signal }, () =>
      platforms.find(digest, revision, CATALOGUE_WAIT_MS),
    );
    if (found === undefined) return undefined;
    if (found.value === undefined) {
      // Looked for again with the next batch: the catalogue may be published yet.
      const unknown = this.#unknown.get(digest) ?? { digest, measures: [] };
      if (!this.#unknown.has(digest))
        log.warn({ platform: digest, revision }, 'no catalogue of the platform: archived by ordinals');
      this.#unknown.set(digest, unknown);
      return unknown;
    }
    const columns = platformColumns(found.value);
    this.#columns.set(digest, columns);
    return columns;
  }
}

/** Events. */
export async function giveEvents(archive: Archive, { seq, at, data }: StreamMessage): Promise<boolean> {
  const batch = readEventBatch(data);
  if (batch === undefined || batch.events.length > EVENT_BATCH_MOST) return false;
  await archive.record({ position: seq, storedMs: at, batch, bytes: data.length });
  return true;
}
