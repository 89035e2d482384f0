/** The on-board directory of a platform. Mission Control Service, sections 2.8 and 4.7. */

import type { ComponentConfiguration, FilesConfiguration, MeasureConfiguration } from '../configuration.ts';
import type { FaultsAt } from '../document/fault.ts';
import type { FilesDocument } from '../document/platform.ts';
import { checkTransfer, type ReceivedLayouts, type TransferDocument } from './file-transfer.ts';
import { checkFraming } from './framing.ts';

/** What the directory says of each file. */
const FILE_MEASURES: readonly MeasureConfiguration[] = [
  { name: 'file_type', type: 'u32', description: 'Number of the file type' },
  { name: 'size', type: 'u64', unit: 'B', description: 'Size of the file' },
  { name: 'checksum', type: 'bytes', description: 'Checksum of the file' },
  { name: 'generation', type: 'u64', description: 'Raised each time the file is rewritten' },
  { name: 'transfer', type: 'string', description: 'State of its last transfer' },
];

type TypeDocuments = NonNullable<FilesDocument['types']>;

/** The component of the directory: one instance a file, known only when listed. */
export function fileComponent({ component = 'files', description }: FilesDocument): ComponentConfiguration {
  return {
    name: component,
    ...(description !== undefined && { description }),
    instances: [],
    files: true,
    measures: FILE_MEASURES,
    parameters: [],
    telecommands: [],
    alarms: [],
  };
}

/** The directory; what would keep a file of it from being listed, read or written is reported. */
export function checkFiles(
  document: FilesDocument,
  components: readonly ComponentConfiguration[],
  received: ReceivedLayouts,
  faults: FaultsAt,
): FilesConfiguration {
  const { component = 'files', types = {}, transfer = {} } = document;
  const telecommands = components.find(({ name }) => name === component)?.telecommands ?? [];
  checkTransfer(transfer, telecommands, received, faults.in('transfer'));
  checkNames(types, faults.in('types'));
  return {
    component,
    types: Object.entries(types).map(([number, type]) =>
      typeOf(Number(number), type, received, faults.in('types', number)),
    ),
    transfer: transferOf(transfer),
  };
}

function checkNames(types: TypeDocuments, faults: FaultsAt): void {
  const seen = new Map<string, string>();
  for (const [number, { name }] of Object.entries(types)) {
    const before = seen.get(name);
    if (before !== undefined)
      faults.in(number, 'name').fault(`file type ${before} is called ${name} too`, 'take another name');
    seen.set(name, number);
  }
}

/** A type whose frames are known is decoded by drivers of this service: it need not say `decode`. */
function typeOf(
  number: number,
  { name, decode, frames: document }: TypeDocuments[string],
  { isRead }: ReceivedLayouts,
  faults: FaultsAt,
): FilesConfiguration['types'][number] {
  if (document === undefined) return { number, name, decode: decode ?? false };
  const at = faults.in('frames');
  if (decode === false) at.fault(`files of type ${name} are not decoded`, 'leave decode or frames out');
  if (!isRead) at.warning('no packet or line says what is in a frame', 'add packets or lines');
  const frames = checkFraming(document, at);
  return { number, name, decode: true, ...(frames !== undefined && { frames }) };
}

function transferOf(transfer: TransferDocument): FilesConfiguration['transfer'] {
  const { list, read, write, max_chunk: maxChunk, checksum, protocol } = transfer;
  return {
    ...(list !== undefined && { list }),
    ...(read !== undefined && { read }),
    ...(write !== undefined && { write }),
    ...(maxChunk !== undefined && { maxChunk }),
    ...(checksum !== undefined && { checksum }),
    ...(protocol !== undefined && { protocol }),
  };
}
