/** Recorders of the log of events on the twin of the bus, each supervised as the owner of a lead is. */

import { buckets } from '../../../contract/bus/buckets.ts';
import { type StreamDefinition, streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { type LoggedEvent, readEventBatch } from '../../../contract/event.ts';
import type { StreamFill } from '../../../ports/fills.ts';
import { createDeadLetters } from '../../../supervision/cells/dead-letters.ts';
import { HeapClock } from '../../../supervision/clock.ts';
import { begun, OwnedWorker } from '../../../supervision/ownership/owned-worker.ts';
import { Recorder } from '../../../supervision/recorder/recorder.ts';
import { TwinServer } from '../../simulation/twin/server.ts';
import { TwinBus } from '../../simulation/twin/twin-bus.ts';
import { fairWeather } from '../../simulation/twin/weather.ts';
import { keptLog } from '../../support/silent-log.ts';

export const START = Date.UTC(2026, 0, 2, 3);

export interface RunningRecorder {
  readonly worker: OwnedWorker;
  readonly bus: TwinBus;
}

export class RecorderWorld {
  readonly clock = new HeapClock(START);
  readonly server = new TwinServer({ now: () => this.clock.now(), choose: () => 0 });
  readonly bus = this.open('test');
  readonly log = keptLog();
  readonly deadLetters = createDeadLetters(this.bus, this.log);
  /** What processes see of the bus. */
  fills: readonly StreamFill[] = [];
  /** Why recorders failed, other than for an outage. */
  readonly crashes: string[] = [];
  #alarms = 0;
  #drawn = 0;

  open(name: string): TwinBus {
    const { clock, server } = this;
    return new TwinBus({ server, name, outside: clock, inside: clock, weather: fairWeather, log: keptLog() });
  }

  async pass(ms: number): Promise<void> {
    const until = this.clock.now() + ms;
    for (let turn = 0; turn < 30; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      while ((this.clock.next() ?? Number.POSITIVE_INFINITY) <= until) {
        this.clock.step();
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    this.clock.advanceTo(until);
  }

  async done<Value>(promise: Promise<Value>, ms = 3_000): Promise<Value> {
    promise.catch(() => undefined);
    await this.pass(ms);
    return promise;
  }

  /** A process that leads the recording, and takes itself for the leader until it is ended. */
  async recorder(epoch: number): Promise<RunningRecorder> {
    const { clock, log, deadLetters } = this;
    const instance = `p${epoch}`;
    const bus = this.open(instance);
    const worker = new OwnedWorker({
      epoch,
      clock,
      log,
      holds: () => true,
      crashed: (reason) => this.crashes.push(reason),
      start: (term) =>
        begun(
          new Recorder({
            ...term,
            bus,
            clock,
            log,
            deadLetters,
            instance,
            version: '0.1.0',
            newId: this.#newId,
            fills: () => this.fills,
          }),
        ),
    });
    await this.done(worker.start());
    return { worker, bus };
  }

  readonly #newId = (): string => {
    this.#drawn += 1;
    return `id-${this.#drawn}`;
  };

  /** The process is killed: nothing of it reaches the bus any more. */
  async kill({ bus, worker }: RunningRecorder): Promise<void> {
    bus.cut();
    await this.done(worker.end({ isLost: true }), 20_000);
  }

  // What happens ------------------------------------------------------------------------------------------------------

  /** So many alarms are raised; their positions rise by one each. */
  async raise(count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      this.#alarms += 1;
      const named = { target: 'sat1', component: 'bat', alarm: 'low' };
      const at = new Date(this.clock.now()).toISOString();
      const event = {
        ...named,
        state: 'ACTIVE_UNACK',
        previous: 'NORMAL',
        cause: 'condition',
        at,
        seq: this.#alarms,
      };
      await this.#stored(streams.alarms, subject.alarmEvent(named), JSON.stringify(event));
    }
  }

  async say(stream: StreamDefinition, on: string, text: string): Promise<void> {
    await this.#stored(stream, on, text);
  }

  async #stored(stream: StreamDefinition, on: string, text: string): Promise<void> {
    await this.done(this.bus.append(stream, on, Buffer.from(text)), 10);
  }

  async setMode(target: string, mode: string): Promise<void> {
    const bucket = this.bus.bucket(buckets.modes);
    const since = new Date(this.clock.now()).toISOString();
    await this.done(bucket.overwrite(target, Buffer.from(JSON.stringify({ mode, since, by: 'ada' }))), 10);
  }

  /** A gateway says how its link is, as it does again and again. */
  reportLink(gateway: string, state: string, since: number): void {
    const report = { gateway, at: this.clock.now(), link: { state, since: new Date(since).toISOString() } };
    this.bus.publish(subject.metrics, Buffer.from(JSON.stringify(report)));
  }

  // What is in the log ------------------------------------------------------------------------------------------------

  /** Everything that ever was in the log, as an archive has it, in its order. */
  get logged(): readonly LoggedEvent[] {
    return this.server
      .stream(streams.events)
      .everything.flatMap(({ data }) => [...(readEventBatch(data)?.events ?? [])]);
  }

  /** Where the events of a kind came from. */
  sources(kind: LoggedEvent['kind']): readonly string[] {
    return this.logged.filter((event) => event.kind === kind).map(({ source }) => source);
  }

  /** What the log says of itself. */
  get notes(): readonly string[] {
    return this.logged.filter(({ kind }) => kind === 'log').map(({ text }) => text);
  }
}

/** `ALARMS:first` to `ALARMS:last` */
export function alarms(first: number, last: number): readonly string[] {
  return Array.from({ length: last - first + 1 }, (_, n) => `ALARMS:${first + n}`);
}
