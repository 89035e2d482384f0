/** Where an archive stands: its folder on a disk, and the work that is done in it. */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Workshop, workInThreads } from '../../archive/workshop.ts';
import { identityOf } from './identity.ts';

/** What of an archive has a folder, and an owner's thread, of its own. */
export type ArchivePart = 'values' | 'events';

export interface ArchiveStorage {
  /** The identity of the archive in the folder, given now where it has none. Rejects where the disk refuses. */
  identity(folder: string, newId: () => string): Promise<string>;
  /** Begins what works in a part of the folder. Rejects where the disk refuses. */
  workshop(folder: string, part: ArchivePart): Promise<Workshop>;
}

/** The disk of the machine, worked on in threads. */
export const machineStorage: ArchiveStorage = {
  identity: identityOf,
  workshop: async (folder, part) => {
    const path = join(folder, part);
    await mkdir(path, { recursive: true });
    return workInThreads(path);
  },
};
