/**
 * The service serving watchers of current values: its value feeds are handed batches as the bus delivers them, its
 * front end sends each change to every watcher.
 */

import { Registry } from 'prom-client';
import { followerCredentials } from '../../bus/follower-credentials.ts';
import { openLog } from '../../cli/open-log.ts';
import { startFrontEnd } from '../../http/front-end.ts';
import { MissionTokens } from '../../identity/mission-tokens.ts';
import { openBooks } from '../../messaging/books.ts';
import type { Platform } from '../../mission/platform.ts';
import { realClock } from '../../supervision/clock.ts';
import { startValueFeeds } from '../../telemetry/value-feeds.ts';
import { Acknowledgements, type Driven } from '../acknowledged.ts';
import { demoMission, sourceOf } from '../demo-mission.ts';
import { answerCalls } from '../peer-side.ts';
import { StubBus } from '../stub-bus.ts';
import { plainOrdinals, valueMessage } from '../value-message.ts';

interface Started {
  readonly port: number;
  readonly acknowledgements: number;
  /** What one watcher gets of a batch. */
  readonly messages: readonly string[];
}

const bus = new StubBus();
const acknowledgements = new Acknowledgements();
let platform: Platform;
let ordinals: Uint32Array;
let batches = 0;

async function start({ measures }: { measures: number }): Promise<Started> {
  const mission = await demoMission();
  const missions = sourceOf(mission);
  platform = mission.targets.get('sat1')!.platform!;
  ordinals = plainOrdinals(platform, measures);
  const log = openLog();
  const values = startValueFeeds({ bus, missions, clock: realClock, log });
  await values.ready;
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
  const messages = await firstMessages(values);
  return { port: frontEnd.port, acknowledgements: await acknowledgements.listen(), messages };
}

/** The messages of the first batch; later ones have the same lengths. */
async function firstMessages(values: ReturnType<typeof startValueFeeds>): Promise<string[]> {
  const messages: string[] = [];
  const stop = values.watch('sat1', (changed, store) => {
    for (const ordinal of changed) messages.push(store.json(ordinal)!.toString());
  });
  deliver();
  stop();
  return messages;
}

function deliver(): void {
  batches += 1;
  const value = 1_000 + (batches % 9_000);
  bus.deliver(
    valueMessage(platform, { target: 'sat1', seq: batches, groundMs: Date.now() + batches, value, ordinals }),
  );
}

function drive({ ms }: { ms: number }): Promise<Driven> {
  return acknowledgements.drive(ms, deliver);
}

answerCalls({ start, drive });
