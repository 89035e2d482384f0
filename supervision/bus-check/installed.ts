/** What the configuration on a bus states about its streams: they are compared with that. */

import type { NatsBus } from '../../bus/nats-bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Installation } from '../../ports/replication.ts';
import { BusMissionSource } from '../configuration.ts';
import { installationOf } from '../installation.ts';

/**
 * Undefined where no configuration is published, it cannot be read, or its bucket is not there. Rejects with an outage.
 */
export async function installedOn(bus: NatsBus, clock: Clock, log: Log): Promise<Installation | undefined> {
  const compared = await bus.inventory.compare();
  if (compared.some(({ stream, standing }) => stream === 'KV_mcs_config' && standing === undefined))
    return undefined;
  const missions = new BusMissionSource(bus, clock, log);
  try {
    await missions.start();
    return missions.current && installationOf(missions.current.settings);
  } finally {
    await missions.stop();
  }
}
