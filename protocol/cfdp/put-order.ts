/** What is asked of an entity to send, and the sender made of it. */

import { checksumType, fileChecksum } from './checksum.ts';
import { type Metadata, writeDirective } from './directive.ts';
import type { TransactionEvent } from './event.ts';
import { Sender } from './file-sender.ts';
import { NAME_BYTES } from './names.ts';
import type { PduAddress } from './pdu.ts';
import { originatingMessage } from './served-requests.ts';
import { type CfdpSettings, roomOf } from './settings.ts';
import type { Tlv } from './tlv.ts';
import { type TransactionId, type UserMessage, writeUserMessage } from './user-message.ts';

/** From this size on every offset of a transaction has 64 bits. */
const LARGE_FILE_BYTES = 2 ** 32;

export interface PutOrder {
  /** The file; without one only the messages are sent. */
  readonly file?: { readonly sourceName: string; readonly destinationName: string; readonly size: number };
  readonly messages?: readonly UserMessage[];
  /** Further fields of the metadata: fault handlers for the receiver, a flow label. */
  readonly options?: readonly Tlv[];
  /** The transaction in which the other entity asked for the file. */
  readonly originating?: TransactionId;
}

/** The metadata of an order; else a sentence that says why it cannot be sent. */
export function metadataOf(order: PutOrder, settings: CfdpSettings): Metadata | string {
  const { file, messages = [], options = [], originating } = order;
  if (file !== undefined && (!Number.isSafeInteger(file.size) || file.size < 0)) {
    return `a file of ${file.size} bytes cannot be sent`;
  }
  const names = [file?.sourceName ?? '', file?.destinationName ?? ''];
  for (const message of messages) {
    if (message.kind === 'proxyPutRequest') names.push(message.sourceName, message.destinationName);
  }
  const long = names.find((name) => Buffer.byteLength(name) > NAME_BYTES);
  if (long !== undefined)
    return `a name has at most ${NAME_BYTES} bytes, this one has ${Buffer.byteLength(long)}`;
  const said: UserMessage[] = [...messages];
  if (originating !== undefined) said.push(originatingMessage(originating, settings));
  const metadata: Metadata = {
    kind: 'metadata',
    closure: false,
    checksumType: file === undefined ? checksumType.none : settings.checksumType,
    size: file?.size ?? 0,
    sourceName: names[0]!,
    destinationName: names[1]!,
    options: [...said.map(writeUserMessage), ...options],
  };
  return faultOf(metadata, settings) ?? metadata;
}

function faultOf(metadata: Metadata, settings: CfdpSettings): string | undefined {
  if (fileChecksum(metadata.checksumType) === undefined) {
    return `checksum type ${metadata.checksumType} is not supported: use 0, 2, 3 or 15`;
  }
  const bytes = writeDirective(metadata, isLarge(metadata)).length;
  const room = roomOf(settings, settings);
  if (bytes <= room) return undefined;
  return `the metadata has ${bytes} bytes and a PDU of ${settings.pduBytes} has room for ${room}: use shorter names or larger PDUs`;
}

const isLarge = ({ size }: Metadata): boolean => size >= LARGE_FILE_BYTES;

/** The sender of a file, and how its PDUs are addressed. */
export function senderOf(
  metadata: Metadata,
  id: TransactionId,
  destination: bigint,
  settings: CfdpSettings,
  emit: (event: TransactionEvent) => void,
): { readonly machine: Sender; readonly address: PduAddress } {
  const { idBytes, sequenceBytes, crc } = settings;
  const large = isLarge(metadata);
  const room = roomOf(settings, settings) - (large ? 8 : 4);
  const machine = new Sender(metadata, Math.max(1, Math.min(settings.segmentBytes, room)), settings, emit);
  const form = { crc, large, segmentation: false, idBytes, sequenceBytes };
  const address: PduAddress = { towards: 'receiver', mode: 'acknowledged', ...form, ...id, destination };
  return { machine, address };
}
