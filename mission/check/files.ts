/** The on-board directory of a platform. Mission Control Service, sections 2.8 and 4.7. */

import { nearHelp } from '../../contract/near.ts';
import type { ComponentConfiguration, FilesConfiguration, MeasureConfiguration } from '../configuration.ts';
import type { FaultsAt } from '../document/fault.ts';
import type { FilesDocument } from '../document/platform.ts';

/** What the directory says of each file. */
const FILE_MEASURES: readonly MeasureConfiguration[] = [
  { name: 'file_type', type: 'u32', description: 'Number of the file type' },
  { name: 'size', type: 'u64', unit: 'B', description: 'Size of the file' },
  { name: 'checksum', type: 'bytes', description: 'Checksum of the file' },
  { name: 'generation', type: 'u64', description: 'Raised each time the file is rewritten' },
  { name: 'transfer', type: 'string', description: 'State of its last transfer' },
];

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

/** The directory; telecommands it names and does not have, and two protocols at once, are reported. */
export function checkFiles(
  document: FilesDocument,
  components: readonly ComponentConfiguration[],
  faults: FaultsAt,
): FilesConfiguration {
  const { component = 'files', types = {}, transfer = {} } = document;
  const telecommands = components.find(({ name }) => name === component)?.telecommands ?? [];
  checkTransfer(transfer, telecommands, faults);
  return {
    component,
    types: Object.entries(types).map(([number, { name, decode = false }]) => ({
      number: Number(number),
      name,
      decode,
    })),
    transfer: transferOf(transfer),
  };
}

type Transfer = NonNullable<FilesDocument['transfer']>;

/** The telecommands that list, read and write; the steps of a protocol replace them. */
function checkTransfer(
  transfer: Transfer,
  telecommands: ComponentConfiguration['telecommands'],
  faults: FaultsAt,
): void {
  for (const key of ['list', 'read', 'write'] as const) {
    const name = transfer[key];
    if (name === undefined) continue;
    const found = telecommands.find((each) => each.name === name);
    const at = faults.in('transfer', key);
    if (found === undefined) {
      const known = telecommands.map((each) => each.name);
      at.fault(`files has no telecommand "${name}"`, nearHelp(name, known, 'telecommands'));
    }
    if (key === 'list') continue;
    if (found !== undefined && found.file === undefined)
      at.fault(`the telecommand "${found.name}" names no file`, 'add `instance: file` to it');
    if (transfer.protocol === 'cfdp')
      at.fault(`${key} and the protocol cfdp exclude each other`, `keep protocol: cfdp, or ${key}`);
  }
  if (transfer.read !== undefined && transfer.max_chunk === undefined && transfer.protocol === undefined) {
    faults.in('transfer').fault('read needs the size of a chunk', 'add max_chunk: bytes');
  }
}

function transferOf(transfer: Transfer): FilesConfiguration['transfer'] {
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
