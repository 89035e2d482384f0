/**
 * The service serving readers of a file that comes down: its front end is handed chunks as the bus delivers them, and
 * sends each to every reader.
 */

import { Registry } from 'prom-client';
import { followerCredentials } from '../../bus/follower-credentials.ts';
import { openLog } from '../../cli/open-log.ts';
import { type BucketDefinition, buckets } from '../../contract/bus/buckets.ts';
import { type StreamDefinition, streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { CHUNK_HEADER_BYTES } from '../../contract/chunk-message.ts';
import { chunkHeaders } from '../../contract/file-chunk.ts';
import { type StoredTransfer, transferKey } from '../../contract/transfer.ts';
import { startFrontEnd } from '../../http/front-end.ts';
import { MissionTokens } from '../../identity/mission-tokens.ts';
import { openBooks } from '../../messaging/books.ts';
import type { Bucket, Follower, FollowFrom, Objects, StreamMessage } from '../../ports/bus.ts';
import { realClock } from '../../supervision/clock.ts';
import { startValueFeeds } from '../../telemetry/value-feeds.ts';
import { Acknowledgements, type Driven } from '../acknowledged.ts';
import { demoMission, sourceOf } from '../demo-mission.ts';
import { answerCalls } from '../peer-side.ts';
import { StubBus } from '../stub-bus.ts';

interface Started {
  readonly port: number;
  readonly acknowledgements: number;
  /** Bytes of one message. */
  readonly messageBytes: number;
}

const AT = '2026-01-02T03:04:05.678Z';
const RECORD: StoredTransfer = {
  target: 'sat1',
  file_id: '7',
  generation: 2,
  direction: 'download',
  state: 'REQUESTED',
  // Larger than what is ever sent.
  size: 2 ** 50,
  priority: 0,
  created_at: AT,
  updated_at: AT,
  actor: { version: 1, changes: [{ at: AT, state: 'REQUESTED' }] },
};

type Handle = (message: StreamMessage) => void | Promise<void>;

/** A bus that knows one transfer, of which nothing is stored, and hands its chunks to who follows them. */
class ChunkBus extends StubBus {
  readonly #handles: Handle[] = [];

  chunk(message: StreamMessage): void {
    for (const handle of this.#handles) void handle(message);
  }

  override bucket(definition?: BucketDefinition): Bucket {
    const bucket = super.bucket();
    if (definition?.name !== buckets.transfers.name) return bucket;
    const key = transferKey(RECORD);
    const entry = { key, value: Buffer.from(JSON.stringify(RECORD)), revision: 1, at: 0 };
    return { ...bucket, get: async (asked) => (asked === key ? entry : undefined) };
  }

  override async follow(
    stream: StreamDefinition,
    about: string,
    from: FollowFrom,
    handle: Handle,
  ): Promise<Follower> {
    if (stream.name === streams.fileChunks.name) this.#handles.push(handle);
    return super.follow(stream, about, from, handle);
  }

  override objects(): never {
    const nothing: Partial<Objects> = { size: async () => undefined, read: async () => undefined };
    return nothing as never;
  }
}

const bus = new ChunkBus();
const acknowledgements = new Acknowledgements();
let data = Buffer.alloc(0);
let count = 0;
let sent = 0;

async function start({ bytes, chunks }: { bytes: number; chunks: number }): Promise<Started> {
  data = Buffer.alloc(bytes, 'x');
  count = chunks;
  const missions = sourceOf(await demoMission());
  const log = openLog();
  const values = startValueFeeds({ bus, missions, clock: realClock, log });
  await values.ready;
  const books = openBooks({ bus, clock: realClock, log });
  await books.transfers.ready;
  const frontEnd = await startFrontEnd({
    bus,
    missions,
    values,
    ...books,
    log,
    clock: realClock,
    registry: new Registry(),
    tokens: new MissionTokens({ missions, clock: realClock, log, fetch }),
    followers: followerCredentials(undefined),
    roles: () => ({ api: 'running' }),
  });
  return {
    port: frontEnd.port,
    acknowledgements: await acknowledgements.listen(),
    messageBytes: CHUNK_HEADER_BYTES + bytes,
  };
}

function deliver(): void {
  const { target, file_id: file, generation } = RECORD;
  for (let n = 0; n < count; n += 1) {
    const headers = chunkHeaders({ file, generation, offset: sent * data.length, data });
    sent += 1;
    bus.chunk({ subject: subject.fileChunk(target, file), data, headers, seq: sent, at: 0, pending: 0 });
  }
}

function drive({ ms }: { ms: number }): Promise<Driven> {
  return acknowledgements.drive(ms, deliver);
}

answerCalls({ start, drive });
