/** The packets of the recorded flight of the demo (NOAA-20, one a second), as a gateway hands them on. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PacketSplitter } from '../protocol/packet-splitter.ts';
import { DEMO } from './demo-mission.ts';

/** Samples a packet holds: the fields of its layout. */
export const SAMPLES_PER_PACKET = 27;

export async function recordedPackets(): Promise<Buffer[]> {
  const bytes = await readFile(join(DEMO, 'recordings', 'noaa20-geolocation.ccsds'));
  const splitter = new PacketSplitter();
  return [...splitter.push(bytes), ...splitter.end()];
}
