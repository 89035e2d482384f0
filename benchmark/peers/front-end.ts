/** The front end of the service on a bus that acknowledges at once: what HTTP alone costs. */

import { Registry } from 'prom-client';
import { followerCredentials } from '../../bus/follower-credentials.ts';
import { openLog } from '../../cli/open-log.ts';
import { startFrontEnd } from '../../http/front-end.ts';
import { MissionTokens } from '../../identity/mission-tokens.ts';
import { openBooks } from '../../messaging/books.ts';
import { realClock } from '../../supervision/clock.ts';
import { startValueFeeds } from '../../telemetry/value-feeds.ts';
import { demoMission, sourceOf } from '../demo-mission.ts';
import { answerCalls } from '../peer-side.ts';
import { StubBus } from '../stub-bus.ts';
import { valueMessage } from '../value-message.ts';

async function start(): Promise<number> {
  const mission = await demoMission();
  const missions = sourceOf(mission);
  const bus = new StubBus();
  const log = openLog();
  const values = startValueFeeds({ bus, missions, clock: realClock, log });
  await values.ready;
  const platform = mission.targets.get('sat1')!.platform!;
  bus.deliver(valueMessage(platform, { target: 'sat1', seq: 1, groundMs: realClock.now(), value: 1_000 }));
  const frontEnd = await startFrontEnd({
    bus,
    missions,
    values,
    ...openBooks({ bus, clock: realClock, log }),
    log,
    clock: realClock,
    registry: new Registry(),
    tokens: new MissionTokens({ missions, clock: realClock, log, fetch }),
    followers: followerCredentials(undefined),
    roles: () => ({ api: 'running' }),
  });
  return frontEnd.port;
}

answerCalls({ start });
