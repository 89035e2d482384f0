/**
 * The service serving watchers of the log of events: its front end is handed batches as the bus delivers them, and
 * sends each event to every watcher.
 */

import { Registry } from 'prom-client';
import { followerCredentials } from '../../bus/follower-credentials.ts';
import { openLog } from '../../cli/open-log.ts';
import { type StreamDefinition, streams } from '../../contract/bus/streams.ts';
import { startFrontEnd } from '../../http/front-end.ts';
import { MissionTokens } from '../../identity/mission-tokens.ts';
import { openBooks } from '../../messaging/books.ts';
import type { Follower, FollowFrom, StreamMessage } from '../../ports/bus.ts';
import { realClock } from '../../supervision/clock.ts';
import { startValueFeeds } from '../../telemetry/value-feeds.ts';
import { Acknowledgements, type Driven } from '../acknowledged.ts';
import { demoMission, sourceOf } from '../demo-mission.ts';
import { madeEvent } from '../event-set.ts';
import { answerCalls } from '../peer-side.ts';
import { StubBus } from '../stub-bus.ts';

interface Started {
  readonly port: number;
  readonly acknowledgements: number;
  /** What one watcher gets of a batch. */
  readonly messages: readonly string[];
}

type Handle = (message: StreamMessage) => void | Promise<void>;

/** Hands what is logged to who follows the log, and to nobody else. */
class EventBus extends StubBus {
  readonly #handles: Handle[] = [];

  log(message: StreamMessage): void {
    for (const handle of this.#handles) void handle(message);
  }

  override async follow(
    stream: StreamDefinition,
    about: string,
    from: FollowFrom,
    handle: Handle,
  ): Promise<Follower> {
    if (stream.name === streams.events.name) this.#handles.push(handle);
    return super.follow(stream, about, from, handle);
  }
}

const bus = new EventBus();
const acknowledgements = new Acknowledgements();
let data = Buffer.alloc(0);
let seq = 0;

async function start({ events }: { events: number }): Promise<Started> {
  const made = Array.from({ length: events }, (_, n) => madeEvent(n));
  data = Buffer.from(JSON.stringify({ events: made }));
  const missions = sourceOf(await demoMission());
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
  const messages = made.map(({ source: _source, data: _data, ...event }) => JSON.stringify(event));
  return { port: frontEnd.port, acknowledgements: await acknowledgements.listen(), messages };
}

function deliver(): void {
  seq += 1;
  bus.log({ subject: 'mcs.event.TC_EVENTS', data, headers: {}, seq, at: Date.now(), pending: 0 });
}

function drive({ ms }: { ms: number }): Promise<Driven> {
  return acknowledgements.drive(ms, deliver);
}

answerCalls({ start, drive });
