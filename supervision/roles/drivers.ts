/**
 * The drivers: answer the verbs of every driver of the mission, and decode what the gateways receive, one process per
 * gateway. Mission Control Service, section 1.
 */

import { streams, subject } from '../../contract/subject.ts';
import { startDriverService } from '../../links/driver-service.ts';
import { createFrameDecoder } from '../../links/frame-decoder.ts';
import { DecoderMetrics } from '../decoder-metrics.ts';
import type { WorkerContext } from '../partition.ts';
import { Position } from '../position.ts';
import type { Role, RoleContext } from '../role.ts';

/** Messages of frames being decoded and stored at once, per gateway. */
const UNDER_WAY = 16;

export async function startDrivers({ bus, clock, log, missions, registry }: RoleContext): Promise<Role> {
  const service = startDriverService({ bus, missions, log });
  const metrics = new DecoderMetrics(registry);

  const start = async (gateway: string, { epoch, failed }: WorkerContext) => {
    const decoder = createFrameDecoder({ bus, missions, gateway, log: log.child({ decoder: gateway }) });
    const lost = (): void => failed(new Error(`another owner decodes ${gateway}`));
    const position = new Position({ bus, clock, log, name: `decoder.${gateway}`, epoch, lost });
    const from = await position.take();
    const counted = metrics.count(gateway, decoder);
    const underWay = new Set<Promise<void>>();
    const follower = await bus.follow(
      streams.frames,
      subject.frames(gateway),
      { from: 'seq', seq: from },
      async (message) => {
        // Decoded batches are stored in order; when one cannot be, those behind it are given up too and the worker
        // reads on from the position, which has not moved past them.
        const handled = decoder.handle(message).then(() => position.done(message.seq), failed);
        underWay.add(handled);
        void handled.finally(() => underWay.delete(handled));
        if (underWay.size >= UNDER_WAY) await Promise.race(underWay);
      },
    );
    return {
      stop: async () => {
        await follower.stop();
        await Promise.all(underWay);
        counted();
        await position.stop();
      },
    };
  };

  return {
    shared: [
      { role: { role: 'drivers', prefix: 'decoder', start }, names: (mission) => mission.gateways.keys() },
    ],
    stop: () => service.stop(),
  };
}
