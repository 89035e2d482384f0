/** A simulated unit put together: its folder, its line to the bus, its clock. Mission Control Service, section 4.8. */

import { join } from 'node:path';
import { monotonicFactory } from 'ulid';
import { openUnitLine } from '../../bus/unit-line.ts';
import type { UnitFault } from '../../links/unit/faults.ts';
import { makeImage } from '../../links/unit/image.ts';
import { loadImage } from '../../links/unit/load-image.ts';
import { SimulatedUnit } from '../../links/unit/simulated-unit.ts';
import type { Log } from '../../ports/log.ts';
import { realClock } from '../clock.ts';
import { imageKey, trustedKey, type UnitState } from './state.ts';

export interface SimulatedUnitSettings {
  readonly serial: string;
  /** Address of the bus. */
  readonly nats: string;
  readonly folder: string;
  readonly hardware: string;
  readonly gateways: readonly string[];
  readonly periodMs: number;
  readonly rebootMs: number;
  readonly installMs: number;
  /** File of the public key whose signature images need; default: a key of its own, in its folder. */
  readonly trust: string | undefined;
  readonly faults: readonly UnitFault[];
  readonly log: Log;
  readonly say: (line: string) => void;
}

/** The unit, not started. */
export async function simulatedUnit(
  { nats, folder, trust, faults, ...settings }: SimulatedUnitSettings,
  state: UnitState,
): Promise<SimulatedUnit> {
  const { serial, log } = settings;
  const own = join(folder, 'image-key.pem');
  if (trust === undefined) await imageKey(own);
  const trusted = await trustedKey(trust ?? `${own}.pub`);
  const newBoot = monotonicFactory();
  return new SimulatedUnit(
    {
      ...settings,
      software: { name: 'simulated-unit', version: state.version },
      publicKey: state.publicKey,
      open: () => openUnitLine({ url: nats, serial, credentials: state.credentials, log }),
      keepCredential: (jwt) => state.keepCredential(jwt),
      keepVersion: (version) => state.keepVersion(version),
      loadImage: (url, percent) => loadImage(url, realClock, percent),
      trusted,
      newBoot: () => newBoot(realClock.now()),
      clock: realClock,
    },
    faults,
  );
}

/** An image for simulated units, signed with the key in that file, which is made where there is none. */
export async function signedImage(
  head: { readonly hardware: readonly string[]; readonly version: string },
  content: Uint8Array,
  key: string,
): Promise<Uint8Array> {
  return makeImage(head, content, await imageKey(key));
}
