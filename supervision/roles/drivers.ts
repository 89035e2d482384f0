/**
 * The drivers: answer the verbs of every driver of the mission, and decode what the gateways receive, one process per
 * gateway. Mission Control Service, section 1.
 */

import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { startDriverService } from '../../links/driver-service.ts';
import { createFrameDecoder } from '../../links/frame-decoder.ts';
import type { KnownIn } from '../../messaging/known-past.ts';
import { LowWaterMark, pastIsGone } from '../../messaging/low-water-mark.ts';
import type { StreamMessage } from '../../ports/bus.ts';
import { DecoderMetrics } from '../metrics/decoders.ts';
import type { WorkerContext } from '../ownership/owned-worker.ts';
import type { Role, RoleContext } from '../role.ts';

/** Messages of frames being decoded and stored at once, per gateway. */
const UNDER_WAY = 16;

export async function startDrivers({ bus, clock, log, missions, registry }: RoleContext): Promise<Role> {
  const service = startDriverService({ bus, missions, log });
  const metrics = new DecoderMetrics(registry);

  const start = async (gateway: string, { epoch, failed }: WorkerContext) => {
    let next = 1;
    let known: KnownIn | undefined;
    const mark = new LowWaterMark({
      ...{ bus, clock, log, epoch, name: `decoder.${gateway}`, lost: failed },
      first: { next },
      stands: () => ({ next }),
      known: () => (known === undefined ? [] : [known]),
    });
    ({ next } = await mark.take());
    const { wentBack } = mark;
    if (wentBack !== undefined) next = 1;
    const decoder = createFrameDecoder({
      ...{ bus, missions, gateway, log: log.child({ decoder: gateway }) },
      ...(wentBack !== undefined && { past: wentBack.since }),
    });
    mark.keep();
    const done = ({ seq, at }: StreamMessage): void => {
      next = Math.max(next, seq + 1);
      if (seq >= (known?.seq ?? 0)) known = { stream: streams.frames, seq, at };
    };
    const counted = metrics.count(gateway, decoder);
    const underWay = new Set<Promise<void>>();
    const follower = await bus.follow(
      streams.frames,
      subject.frames(gateway),
      // Positions of a stream that went back are used again: what is new is known by its time.
      wentBack === undefined ? { from: 'seq', seq: next } : { from: 'time', at: wentBack.since + 1 },
      async (message) => {
        // Decoded batches are stored in order; when one cannot be, those behind it are given up too and the worker
        // reads on from the low-water mark, which has not moved past them.
        const handled = decoder.handle(message).then(() => done(message), failed);
        underWay.add(handled);
        void handled.finally(() => underWay.delete(handled));
        if (underWay.size >= UNDER_WAY) await Promise.race(underWay);
      },
      { wentBack: () => failed(pastIsGone(streams.frames)) },
    );
    return {
      stop: async () => {
        await follower.stop();
        await Promise.all(underWay);
        counted();
        await mark.stop();
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
