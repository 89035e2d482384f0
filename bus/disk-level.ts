/**
 * How full the disk is that the embedded server stores on, said by the process that runs it to everybody on its bus. A
 * full disk is not to be met: nats-server 2.9 waits for itself then and never goes on.
 */

import { statfs } from 'node:fs/promises';
import { subject } from '../contract/bus/subjects.ts';
import { DISK_KEPT_BYTES, DISK_KEPT_SHARE } from '../contract/limits/bus.ts';
import type { Connection } from './connection.ts';
import type { DiskLevel, Room } from './room.ts';

/** Of the disk that holds a folder; undefined where the system does not say. */
export async function diskLevel(folder: string): Promise<DiskLevel | undefined> {
  try {
    const { blocks, bavail, bsize } = await statfs(folder);
    const [maxBytes, free] = [blocks * bsize, bavail * bsize];
    const kept = Math.min(DISK_KEPT_BYTES, DISK_KEPT_SHARE * maxBytes);
    return { bytes: maxBytes - free, maxBytes, isFull: free < kept };
  } catch {
    return undefined;
  }
}

export function sayDiskLevel(connection: Pick<Connection, 'send'>, level: DiskLevel): void {
  connection.send(subject.busDisk, Buffer.from(JSON.stringify(level)));
}

/** What somebody says who runs the server holds for all that this connection writes (room.R4). */
export function hearOfDisk(connection: Pick<Connection, 'subscribe'>, room: Room): void {
  connection.subscribe(subject.busDisk, ({ data }) => {
    const level = readLevel(data);
    if (level !== undefined) room.heard(level);
  });
}

function readLevel(data: Uint8Array): DiskLevel | undefined {
  try {
    const { bytes, maxBytes, isFull } = JSON.parse(Buffer.from(data).toString()) as Record<string, unknown>;
    if (!isCount(bytes) || !isCount(maxBytes) || typeof isFull !== 'boolean') return undefined;
    return { bytes, maxBytes, isFull };
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
