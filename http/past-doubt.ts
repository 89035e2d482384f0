/**
 * Why what an archive did not find may have been there all the same (past-telecommand.B3, past-report.P3). Pure.
 *
 * D1. What the archive that answered cannot read of that time, lost of it or has not read yet.
 * D2. What another archive may have, if the one that answered began within that time: one whose log of events begins
 *     earlier, or one that is registered as a connector and has not reported since this process began.
 * D3. An archive belongs to the cell while it runs, and afterwards until somebody removes its connector. One that could
 *     not register belongs to it for as long as this process remembers it.
 */

import { ARCHIVE_READERS, type ArchiveState, archiveConnector } from '../contract/archive-wire.ts';
import type { ArchivedEvents } from '../contract/event-query.ts';
import type { Connector, Connectors } from '../messaging/connectors.ts';
import type { KnownArchive } from '../messaging/known-archives.ts';
import { refuse } from './errors.ts';
import type { Refusal } from './reply.ts';

export interface Doubt {
  /** Completes "events of this … may be archived, and …". */
  readonly why: string;
  /** What to do where waiting does not help. */
  readonly help?: string;
}

type RegisteredConnectors = Pick<Connectors, 'live' | 'all' | 'wasRemoved'>;

/** The archives of the cell: those that reported, and those that are registered. */
export interface ArchivesOfCell {
  readonly known: readonly KnownArchive[];
  readonly connectors: RegisteredConnectors;
}

/** D3, of those that reported. */
export function archivesOfCell(
  known: readonly KnownArchive[],
  connectors: RegisteredConnectors,
): ArchivesOfCell {
  const belongs = ({ archive, alive }: KnownArchive): boolean =>
    alive || !connectors.wasRemoved(archiveConnector(archive));
  return { known: known.filter(belongs), connectors };
}

/** Of an answer about the time before `until`; undefined: what is not in it was not there. */
export function doubtOf(
  events: ArchivedEvents,
  archive: ArchiveState,
  { until, cell }: { readonly until: number; readonly cell: ArchivesOfCell },
): Doubt | undefined {
  return ownDoubt(events, archive, until) ?? beganLater(events, archive, { until, cell });
}

/** Where none of the archives that reported can tell (D2). */
export function doubtWithoutArchive({ known, connectors }: ArchivesOfCell): Doubt | undefined {
  if (!connectors.live) return { why: 'the list of archives is not loaded yet' };
  const reported = new Set(known.map(({ archive }) => archiveConnector(archive)));
  const silent = registeredArchives(connectors).find((name) => !reported.has(name));
  if (silent === undefined) return undefined;
  return {
    why: `${silent} is not running`,
    help: `Start its process. If that archive no longer exists, remove it: mcs connector remove ${silent}.`,
  };
}

/** Refuses a question whose answer may be in an archive that cannot be asked now. */
export function refusedForDoubt(
  something: string,
  { why, help = 'Try again in a moment.' }: Doubt,
  more = '',
): Refusal {
  return refuse('api::unavailable', `events of this ${something} may be archived, and ${why}`, {
    help: `${help}${more}`,
  });
}

/** D1 */
function ownDoubt(
  { damaged, gaps }: ArchivedEvents,
  { events }: ArchiveState,
  until: number,
): Doubt | undefined {
  if (damaged.length > 0) return { why: 'the archive cannot read what it has of that time' };
  if (gaps.some(({ from }) => from > 0)) return { why: 'messages of that time never reached the archive' };
  const isRead = events === undefined || events.pending === 0 || (events.readAt ?? 0) >= until;
  return isRead ? undefined : { why: 'the archive has not read its messages of that time yet' };
}

/** D2 */
function beganLater(
  { gaps }: ArchivedEvents,
  { archive, events }: ArchiveState,
  { until, cell }: { readonly until: number; readonly cell: ArchivesOfCell },
): Doubt | undefined {
  // Those that D1 left end where the archive began.
  if (gaps.length === 0) return undefined;
  const end = Math.min(until, events?.begins ?? until);
  const isFurther = (other: ArchiveState): boolean =>
    other.archive !== archive && (other.events?.begins ?? end) < end;
  if (cell.known.some(isFurther))
    return { why: 'the archive that reaches back to that time does not answer' };
  return doubtWithoutArchive(cell);
}

/** Names of the connectors that are archives. */
function registeredArchives(connectors: RegisteredConnectors): string[] {
  const isArchive = ({ document }: Connector): boolean =>
    document.connector.data.some(({ consumer }) => consumer === ARCHIVE_READERS.events);
  return connectors
    .all()
    .filter(isArchive)
    .map(({ name }) => name);
}
