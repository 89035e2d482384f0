/**
 * Bytes of a file that comes down, as they go to whoever reads along: one binary message each. Mission Control Service,
 * section 4.7 (ours).
 */

/** Bytes of a message before those of the file: the offset of the first of them, big-endian. */
export const CHUNK_HEADER_BYTES = 8;

export interface ChunkMessage {
  /** Of the first byte in the file. */
  readonly offset: number;
  readonly data: Uint8Array;
}

export function chunkMessage({ offset, data }: ChunkMessage): Buffer {
  const message = Buffer.allocUnsafe(CHUNK_HEADER_BYTES + data.length);
  message.writeBigUInt64BE(BigInt(offset), 0);
  message.set(data, CHUNK_HEADER_BYTES);
  return message;
}

/** Undefined for what is no such message. */
export function readChunkMessage(message: Uint8Array): ChunkMessage | undefined {
  if (message.length <= CHUNK_HEADER_BYTES) return undefined;
  const view = new DataView(message.buffer, message.byteOffset, CHUNK_HEADER_BYTES);
  const offset = Number(view.getBigUint64(0));
  if (!Number.isSafeInteger(offset)) return undefined;
  return { offset, data: message.subarray(CHUNK_HEADER_BYTES) };
}
