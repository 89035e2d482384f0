/**
 * How files are listed, read and written: whether the telecommands that the section names can do it, and whether what
 * they ask for can come down. Mission Control Service, section 4.7 rules 1, 3, 5 and 7.
 *
 * T1. Refresh and the transfer manager give no other arguments than offset and length, or offset, data and generation:
 *     every other one needs a default.
 * T2. Where listings say a generation, chunks say it too: without it the bytes of two writings of a file would be mixed
 *     (MC-GEN-022).
 * T3. A telecommand whose answer no packet gives is a warning and no fault: catalogues from before packets could give
 *     files go on. A platform without packets and lines is read by a driver outside of the service, and not warned of.
 * T4. Where parts are read one by one and packets say neither generation nor checksum, nothing says that a file was
 *     written again meanwhile: a warning.
 */

import { nearHelp } from '../../contract/near.ts';
import type { ArgumentConfiguration, TelecommandConfiguration } from '../configuration.ts';
import type { FaultsAt } from '../document/fault.ts';
import type { FilesDocument } from '../document/platform.ts';
import type { FileFieldConfiguration, LayoutConfiguration } from '../layout/layout.ts';
import { integerBounds } from '../value-type.ts';

export type TransferDocument = NonNullable<FilesDocument['transfer']>;

/** What comes down. */
export interface ReceivedLayouts {
  readonly packets: readonly LayoutConfiguration[];
  /** Whether the platform says how anything is read (T3). */
  readonly isRead: boolean;
}

type Operation = 'list' | 'read' | 'write';
type Part = NonNullable<FileFieldConfiguration['to']>;

const GIVEN: Readonly<Record<Operation, readonly string[]>> = {
  list: [],
  read: ['offset', 'length'],
  write: ['offset', 'data', 'generation'],
};
/** Bytes of the checksums that have a length of their own. */
const CHECKSUM_BYTES: Readonly<Record<string, number>> = {
  crc16: 2,
  crc32: 4,
  md5: 16,
  sha256: 32,
};

/** Reports what would keep a file from being listed, read or written. */
export function checkTransfer(
  transfer: TransferDocument,
  telecommands: readonly TelecommandConfiguration[],
  received: ReceivedLayouts,
  faults: FaultsAt,
): void {
  for (const operation of ['list', 'read', 'write'] as const) {
    const name = transfer[operation];
    if (name === undefined) continue;
    const at = faults.in(operation);
    const found = telecommands.find((each) => each.name === name);
    if (found !== undefined) checkTelecommand(operation, found, transfer.max_chunk, received, at);
    else {
      const known = telecommands.map((each) => each.name);
      at.fault(`files has no telecommand "${name}"`, nearHelp(name, known, 'telecommands'));
    }
    if (operation !== 'list' && transfer.protocol === 'cfdp')
      at.fault(
        `${operation} and the protocol cfdp exclude each other`,
        `keep protocol: cfdp, or ${operation}`,
      );
  }
  checkChunkSize(transfer, faults);
  checkAlgorithm(transfer, faults.in('checksum'));
  if (received.isRead) checkReceived(transfer, received.packets, faults);
}

function checkChunkSize({ read, write, max_chunk, protocol }: TransferDocument, faults: FaultsAt): void {
  if (max_chunk !== undefined && protocol === 'cfdp')
    faults.in('max_chunk').fault('CFDP has its own segments', 'leave max_chunk out');
  if (max_chunk !== undefined || protocol === 'cfdp') return;
  const operation = read === undefined ? 'write' : 'read';
  if (read !== undefined || write !== undefined)
    faults.fault(`${operation} needs the size of a chunk`, 'add max_chunk: bytes');
}

/** MC-LIM-020 */
function checkAlgorithm({ checksum }: TransferDocument, faults: FaultsAt): void {
  if (checksum === undefined || checksum === 'null' || Object.hasOwn(CHECKSUM_BYTES, checksum)) return;
  const help = 'crc16, crc32, md5 and sha256 are';
  faults.warning(`${checksum} of a whole file is not computed: transfers end COMPLETE, not VERIFIED`, help);
}

function checkTelecommand(
  operation: Operation,
  { name, file, args }: TelecommandConfiguration,
  maxChunk: number | undefined,
  received: ReceivedLayouts,
  faults: FaultsAt,
): void {
  if (operation === 'list' && file !== undefined)
    faults.fault(
      `the telecommand "${name}" names a file`,
      'a listing is of all files: leave `instance` out of it',
    );
  if (operation !== 'list' && file === undefined)
    faults.fault(`the telecommand "${name}" names no file`, 'add `instance: file` to it');
  if (file?.maxId !== undefined) checkIdentifiers(name, file.maxId, received.packets, faults);
  const given = GIVEN[operation];
  for (const { name: argument, default: value } of args) {
    if (given.includes(argument) || value !== undefined) continue;
    const help =
      given.length === 0 ? 'give it a default' : `give it a default, or call it ${given.join(' or ')}`;
    faults.fault(`nothing gives a value to the argument "${argument}" of "${name}"`, help);
  }
  if (operation === 'list') return;
  const argument = (wanted: string): ArgumentConfiguration | undefined =>
    args.find((each) => each.name === wanted);
  checkWhole(name, 'offset', argument('offset'), maxChunk ?? 1, faults);
  if (operation === 'read') checkWhole(name, 'length', argument('length'), maxChunk ?? 1, faults);
  else checkData(name, argument('data'), maxChunk ?? 1, faults);
  const generation = operation === 'write' ? argument('generation') : undefined;
  if (generation !== undefined) checkWhole(name, 'generation', generation, 1, faults);
}

/** Files that are listed and could not be asked for. */
function checkIdentifiers(
  name: string,
  maxId: number,
  packets: readonly LayoutConfiguration[],
  faults: FaultsAt,
): void {
  for (const packet of packets) {
    const bits = packet.listing?.entry.find(({ to }) => to === 'id')?.bits ?? 0;
    if (2 ** bits - 1 <= maxId || maxId === Number.MAX_SAFE_INTEGER) continue;
    const message = `packet ${packet.name} lists files of ${bits} bits, "${name}" names files up to ${maxId}`;
    faults.fault(message, 'write the identifier as widely as it is listed');
  }
}

/** An argument that is a number of bytes, or of a generation: unsigned, and able to be 1 and `most`. */
function checkWhole(
  telecommand: string,
  name: string,
  argument: ArgumentConfiguration | undefined,
  most: number,
  faults: FaultsAt,
): void {
  const help = `declare ${name}: { type: u32 }`;
  if (argument === undefined) {
    faults.fault(`the telecommand "${telecommand}" has no argument "${name}"`, help);
    return;
  }
  const bounds = integerBounds(argument.type);
  if (bounds === undefined || bounds.least < 0) {
    faults.fault(`the argument "${name}" of "${telecommand}" is no unsigned integer`, help);
    return;
  }
  if (argument.unit !== undefined && argument.unit !== 'B')
    faults.fault(`the argument "${name}" of "${telecommand}" is in ${argument.unit}`, 'give it in B');
  const least = name === 'offset' ? 0 : 1;
  if (!reaches(argument, least, most, Number(bounds.most))) {
    const message = `the argument "${name}" of "${telecommand}" cannot be ${least} to ${most}`;
    faults.fault(
      message,
      name === 'length' ? 'widen its range, or make max_chunk smaller' : 'widen its range',
    );
  }
}

function checkData(
  telecommand: string,
  argument: ArgumentConfiguration | undefined,
  most: number,
  faults: FaultsAt,
): void {
  if (argument?.type !== 'bytes') {
    const message = `the telecommand "${telecommand}" has no argument "data" of type bytes`;
    faults.fault(message, 'declare data: { type: bytes }');
    return;
  }
  if (!reaches(argument, 1, most, Number.POSITIVE_INFINITY)) {
    const message = `the argument "data" of "${telecommand}" cannot have 1 to ${most} bytes`;
    faults.fault(message, 'widen its range or its field, or make max_chunk smaller');
  }
}

function reaches({ range }: ArgumentConfiguration, least: number, most: number, widest: number): boolean {
  const [from, to] = range ?? [null, null];
  return (from ?? 0) <= least && (to ?? widest) >= most && widest >= most;
}

/** T2, T3 */
function checkReceived(
  { list, read, checksum }: TransferDocument,
  packets: readonly LayoutConfiguration[],
  faults: FaultsAt,
): void {
  const listings = packets.filter(({ listing }) => listing !== undefined);
  const chunks = packets.filter(({ chunk }) => chunk !== undefined);
  if (list !== undefined && listings.length === 0)
    faults.in('list').warning('no packet gives a listing', 'add a packet with listing: { at, entry: [ … ] }');
  if (read !== undefined && chunks.length === 0)
    faults
      .in('read')
      .warning('no packet gives a chunk of a file', 'add a packet with chunk: { at, fields: [ … ] }');
  const says = ({ listing, chunk }: LayoutConfiguration, part: Part): FileFieldConfiguration | undefined =>
    (listing?.entry ?? chunk?.fields ?? []).find(({ to }) => to === part);
  const dated = listings.find((each) => says(each, 'generation') !== undefined);
  const undated = chunks.find((each) => says(each, 'generation') === undefined);
  if (dated !== undefined && undated !== undefined) {
    const message = `packet ${dated.name} says the generation of a file, the chunks of packet ${undated.name} do not`;
    faults.fault(
      message,
      'add { to: generation, … } to the chunk: else bytes of two writings would be mixed',
    );
  }
  const isSummed = checksum !== undefined && listings.some((each) => says(each, 'checksum') !== undefined);
  if (read !== undefined && undated !== undefined && !isSummed)
    faults
      .in('read')
      .warning(
        'no packet says the generation or the checksum of a file: one that is written again while it comes down is not noticed',
        'add { to: generation, … } to listings and chunks, or a checksum to listings',
      );
  for (const each of listings) checkChecksum(each.name, says(each, 'checksum'), checksum, faults);
}

function checkChecksum(
  packet: string,
  field: FileFieldConfiguration | undefined,
  checksum: TransferDocument['checksum'],
  faults: FaultsAt,
): void {
  const bytes = checksum === undefined ? undefined : CHECKSUM_BYTES[checksum];
  if (field === undefined || bytes === undefined || field.prefix !== undefined || field.bits === bytes * 8)
    return;
  faults
    .in('checksum')
    .fault(`${checksum} has ${bytes} bytes, packet ${packet} lists ${field.bits / 8}`, 'make them agree');
}
