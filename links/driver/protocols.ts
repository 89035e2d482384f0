/** The protocols a driver of the mission can name, and how a driver of each is made. */

import { buckets } from '../../contract/bus/buckets.ts';
import { accepted, type Result, refused } from '../../contract/result.ts';
import type { Driver as DriverDefinition } from '../../mission/mission.ts';
import type { Bus } from '../../ports/bus.ts';
import { CounterBlocks } from './counter-blocks.ts';
import { createCspDriver } from './csp.ts';
import type { Driver } from './driver.ts';
import { createPusDriver } from './pus-c.ts';
import { createSpacePacketDriver } from './space-packet-driver.ts';
import { createTextDriver } from './text.ts';

type Make = (definition: DriverDefinition, bus: Bus) => Result<Driver, string>;

const PROTOCOLS: Readonly<Record<string, Make>> = {
  'pus-c': ({ name, settings }, bus) =>
    createPusDriver(settings, new CounterBlocks(bus.bucket(buckets.drivers), name)),
  'space-packet': ({ settings }) => createSpacePacketDriver(settings),
  csp: ({ settings }) => createCspDriver(settings),
  text: ({ settings }) => createTextDriver(settings),
  // Frames of its links are PDUs, which are taken elsewhere (`links/cfdp/`): it encodes and decodes nothing.
  cfdp: () => accepted({ read: () => undefined }),
};

/** Whether drivers of this protocol are part of this service; others run outside and serve the same verbs. */
export function isKnownProtocol(protocol: string): boolean {
  return Object.hasOwn(PROTOCOLS, protocol);
}

/** The driver a mission defines; refuses an unknown protocol and settings the protocol does not have. */
export function createDriver(definition: DriverDefinition, bus: Bus): Result<Driver, string> {
  const { protocol } = definition;
  if (!isKnownProtocol(protocol)) {
    return refused(`unknown protocol "${protocol}"; known are ${Object.keys(PROTOCOLS).join(', ')}`);
  }
  return PROTOCOLS[protocol]!(definition, bus);
}
