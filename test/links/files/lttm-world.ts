/** Files of stored telemetry of the demo's spacecraft, and processes that decode them over the bus in memory. */

import { Registry } from 'prom-client';
import { type DecodedBatch, decodeBatch } from '../../../contract/batch.ts';
import { objectStores } from '../../../contract/bus/buckets.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { type DecodeFileReply, readDecodeFileReply } from '../../../contract/file-decoding.ts';
import { FILE_DECODE_MS } from '../../../contract/limits/transfer.ts';
import { contentObject } from '../../../contract/transfer.ts';
import { createDriver } from '../../../links/driver/protocols.ts';
import type { OfferedFile } from '../../../links/files/decode-file.ts';
import { startFileDecoding } from '../../../links/files/file-decoding-service.ts';
import { FileReader } from '../../../links/files/file-reader.ts';
import { housekeepingFile } from '../../../links/simulated/housekeeping-file.ts';
import { TelemetryWriter } from '../../../links/simulated/onboard-packet.ts';
import type { Mission } from '../../../mission/mission.ts';
import type { Headers, Stoppable } from '../../../ports/bus.ts';
import { HeapClock } from '../../../supervision/clock.ts';
import { decodedFiles } from '../../../supervision/metrics/decoded-files.ts';
import { ProcessClock, type Waking } from '../../simulation/process-clock.ts';
import { TwinServer } from '../../simulation/twin/server.ts';
import { TwinBus } from '../../simulation/twin/twin-bus.ts';
import { fairWeather } from '../../simulation/twin/weather.ts';
import { settled } from '../../support/manual-clock.ts';
import { demoMission, TestMissions } from '../../support/missions.ts';
import { type KeptLog, keptLog } from '../../support/silent-log.ts';

export const WRITTEN = Date.parse('2026-03-01T11:00:00Z');
export const NOW = Date.parse('2026-03-01T12:00:00Z');

export const DEMO_MISSION: Mission = demoMission();
const FRAMING = DEMO_MISSION.targets.get('sat1')!.platform!.files!.types[0]!.frames!;

/** Housekeeping of so many hours, one packet every ten seconds. */
export function hours(count: number, seed = 1): Buffer {
  const parts = Array.from({ length: count }, (_, hour) =>
    housekeepingFile(seed + hour, WRITTEN - (count - 1 - hour) * 3_600_000),
  );
  return Buffer.concat(parts);
}

/** A packet of the spacecraft as it is sent, or stored. */
export function packet(service: number, subtype: number, data: Buffer, timeMs = WRITTEN): Buffer {
  return new TelemetryWriter().packet({ service, subtype, data }, timeMs);
}

/** What reads frames of the spacecraft, live and stored. */
export function demoSource() {
  const target = DEMO_MISSION.targets.get('sat1')!;
  const link = target.links.get('uhf')!;
  const driver = createDriver(DEMO_MISSION.drivers.get('pus')!, {
    bucket: () => undefined,
  } as never);
  if (!driver.ok) throw new Error('the driver of the demo');
  return { source: { target, link, platform: target.platform! }, driver: driver.value };
}

/** The offer of a file of housekeeping, as `decodeFile` takes it. */
export function demoOffer(file: string): OfferedFile {
  const call = { file_id: file, generation: 1, file_type: 1, object: `sat1/${file}/1` };
  return { call, ...demoSource(), framing: FRAMING, revision: DEMO_MISSION.revision };
}

export function demoReader(more: Partial<ConstructorParameters<typeof FileReader>[0]> = {}): FileReader {
  return new FileReader({ ...demoSource(), framing: FRAMING, groundMs: NOW, ...more });
}

/** Samples of a batch, one text each. */
export function samplesOf({ blocks }: Pick<DecodedBatch, 'blocks'>): string[] {
  const { measures } = DEMO_MISSION.targets.get('sat1')!.platform!;
  return blocks.flatMap(({ ordinals, onboard, raw }) =>
    [...raw].map((value, index) => {
      const at = new Date(onboard[Math.floor(index / ordinals.length)]!).toISOString();
      return `${measures[ordinals[index % ordinals.length]!]!.key}=${value} ${at}`;
    }),
  );
}

export interface DecodingProcess {
  readonly log: KeptLog;
  readonly bus: TwinBus;
  /** Its metrics. */
  counted(): Promise<string[]>;
  /** Nothing of it acts any more. */
  kill(): void;
  /** Nothing of it acts until it wakes. */
  sleep(): void;
  wake(how: Waking): void;
  stop(): Promise<void>;
}

export class LttmWorld {
  readonly clock = new HeapClock(NOW);
  /** Which of the processes of a queue is asked. */
  chosen = 0;
  readonly server = new TwinServer({ now: () => this.clock.now(), choose: (of) => this.chosen % of });
  readonly outside = this.#bus('outside', new ProcessClock(this.clock, 0));
  readonly #mission: Mission;

  constructor(mission: Mission = DEMO_MISSION) {
    this.#mission = mission;
  }

  async decoder(name: string, mission = this.#mission): Promise<DecodingProcess> {
    const clock = new ProcessClock(this.clock, 0);
    const bus = this.#bus(name, clock);
    const log = keptLog();
    const registry = new Registry();
    const count = decodedFiles(registry);
    const missions = new TestMissions(mission);
    const service: Stoppable = startFileDecoding({ bus, clock, log, missions, count });
    await this.run(10);
    return {
      log,
      bus,
      counted: async () =>
        (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#')),
      kill: () => {
        bus.cut();
        clock.end();
      },
      sleep: () => clock.pause(),
      wake: (how) => clock.resume(how),
      stop: () => this.finish(service.stop()),
    };
  }

  async store(file: string, content: Buffer, generation = 1): Promise<void> {
    const object = contentObject({ target: 'sat1', file_id: file, generation });
    async function* pieces() {
      yield content;
    }
    await this.finish(this.outside.objects(objectStores.files).replace(object, pieces()));
  }

  /** Offers the file as the transfer manager does; an outage of the request is its code. */
  offer(
    file: string,
    more: { generation?: number; file_type?: number } = {},
  ): Promise<DecodeFileReply | string> {
    return this.finish(this.offered(file, more));
  }

  /** The same, while time is moved by somebody else. */
  async offered(file: string, { generation = 1, file_type = 1 } = {}): Promise<DecodeFileReply | string> {
    const object = contentObject({ target: 'sat1', file_id: file, generation });
    const call = Buffer.from(JSON.stringify({ file_id: file, generation, file_type, object }));
    try {
      const reply = await this.outside.request(subject.fileDecode('sat1'), call, {
        timeoutMs: FILE_DECODE_MS,
      });
      return readDecodeFileReply(reply) ?? 'malformed';
    } catch (error) {
      return (error as { code: string }).code;
    }
  }

  /** What is published of the target. */
  published(): { batch: DecodedBatch; headers: Headers }[] {
    const stored = this.server.stream(streams.decoded).messages;
    return stored.map((message) => ({
      batch: decodeBatch<DecodedBatch>(message.data),
      headers: message.headers,
    }));
  }

  async run(ms: number): Promise<void> {
    const at = this.clock.now() + ms;
    await settled();
    for (let due = this.clock.next(); due !== undefined && due <= at; due = this.clock.next()) {
      this.clock.step();
      await settled();
    }
    this.clock.advanceTo(at);
    await settled();
  }

  /** Runs until this is done, at most for ten minutes. */
  async finish<Value>(work: Promise<Value>): Promise<Value> {
    let isDone = false;
    void work.finally(() => (isDone = true)).catch(() => undefined);
    const end = this.clock.now() + 600_000;
    for (await settled(); !isDone && this.clock.now() < end; await settled()) if (!this.clock.step()) break;
    if (!isDone) throw new Error('it is not done');
    return work;
  }

  #bus(name: string, clock: ProcessClock): TwinBus {
    return new TwinBus({
      server: this.server,
      name,
      settleMs: 0,
      outside: this.clock,
      inside: clock,
      arrivals: clock.arrivals,
      pulled: clock.pulled,
      weather: { ...fairWeather, latencyMs: () => 1, pullMs: () => 1 },
      log: keptLog(),
    });
  }
}
