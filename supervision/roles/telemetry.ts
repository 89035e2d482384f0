/** The telemetry role: owns the telemetry of targets, one owner each. Architecture, "Life of a sample". */

import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { pastIsGone } from '../../messaging/low-water-mark.ts';
import type { Follower } from '../../ports/bus.ts';
import { createTelemetryOwner } from '../../telemetry/telemetry-owner.ts';
import { begun, type WorkerContext } from '../ownership/owned-worker.ts';
import type { Role, RoleContext } from '../role.ts';

export async function startTelemetry({ bus, clock, log, missions }: RoleContext): Promise<Role> {
  const start = async (target: string, { epoch, failed, holds }: WorkerContext) => {
    const owner = createTelemetryOwner({
      bus,
      missions,
      target,
      epoch,
      holds,
      clock,
      log: log.child({ telemetry: target }),
      lost: () => failed(new Error(`another owner has the telemetry of ${target}`)),
    });
    let follower: Follower | undefined;
    const follow = async (): Promise<void> => {
      const from = await owner.start();
      follower = await bus.follow(
        streams.decoded,
        subject.decoded(target),
        from,
        (message) => owner.handle(message),
        {
          wentBack: () => failed(pastIsGone(streams.decoded)),
          together: true,
          atHead: () => owner.caughtUp(),
        },
      );
      follower.caughtUp.then(
        () => owner.caughtUp(),
        () => undefined,
      );
    };
    const stop = async (): Promise<void> => {
      await follower?.stop();
      await owner.stop();
    };
    return begun({ start: follow, stop });
  };
  return {
    shared: [
      { role: { role: 'telemetry', prefix: 'telemetry', start }, names: (mission) => mission.targets.keys() },
    ],
    stop: async () => undefined,
  };
}
