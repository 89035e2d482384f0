/**
 * Schedulers as processes have them, on the bus in memory and a clock that a test moves: the real role with its books,
 * cells and records. Each process has a clock of its own, which may be set, and a watch that may be late.
 */

import { Registry } from 'prom-client';
import { buckets } from '../../../contract/bus/buckets.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { passKey, type StoredPass } from '../../../contract/pass.ts';
import type { RunSubmission } from '../../../contract/run-wire.ts';
import type { ScheduleRequest } from '../../../contract/schedule.ts';
import type { StoredRule, StoredSchedule } from '../../../contract/stored-schedule.ts';
import { type Books, openBooks } from '../../../messaging/books.ts';
import type { ScheduleTools } from '../../../messaging/schedule-changes.ts';
import { draftOf } from '../../../messaging/schedule-draft.ts';
import { createSchedule } from '../../../messaging/schedule-writes.ts';
import type { Mission } from '../../../mission/mission.ts';
import type { Bus, Stoppable, StreamMessage } from '../../../ports/bus.ts';
import { seededRandom } from '../../../ports/seeded-random.ts';
import { createDeadLetters } from '../../../supervision/cells/dead-letters.ts';
import { HeapClock } from '../../../supervision/clock.ts';
import type { Role, RoleContext } from '../../../supervision/role.ts';
import { startScheduler } from '../../../supervision/roles/scheduler.ts';
import { loaded } from '../../mission/documents.ts';
import { documents, mission as runs } from '../../mission/procedure/run-mission.ts';
import { AOS, MINUTE, storedPass } from '../../mission/schedule/records.ts';
import { ProcessClock } from '../../simulation/process-clock.ts';
import { TwinServer } from '../../simulation/twin/server.ts';
import { TwinBus } from '../../simulation/twin/twin-bus.ts';
import { fairWeather } from '../../simulation/twin/weather.ts';
import { settled } from '../../support/manual-clock.ts';
import { TestMissions } from '../../support/missions.ts';
import { partlyOther } from '../../support/partly-other.ts';
import { type KeptLog, keptLog } from '../../support/silent-log.ts';

/** With a driver on the default link of sat1, which it needs in orbit; `edit` changes the documents. */
export function scheduleMission(edit?: (text: string) => string): Mission {
  const base =
    edit === undefined ? runs : loaded(documents.map(({ file, text }) => ({ file, text: edit(text) })));
  const sat1 = base.targets.get('sat1')!;
  const links = new Map(sat1.links).set('uhf', { ...sat1.links.get('uhf')!, driver: 'enc' });
  return { ...base, targets: new Map(base.targets).set('sat1', { ...sat1, links }) };
}

export interface SchedulerProcess {
  readonly name: string;
  readonly bus: TwinBus;
  readonly clock: ProcessClock;
  readonly books: Books;
  readonly missions: TestMissions;
  readonly log: KeptLog;
  readonly registry: Registry;
  /** How long what changes takes until this process sees it, ms. */
  late: number;
  /** Nothing of it acts any more. */
  kill(): void;
  stop(): Promise<void>;
}

export class ScheduleWorld {
  readonly clock = new HeapClock(AOS - 20 * MINUTE);
  readonly server = new TwinServer({ now: () => this.clock.now(), choose: () => 0 });
  readonly mission: Mission;
  readonly processes: SchedulerProcess[] = [];
  readonly submissions: RunSubmission[] = [];
  /** Under which message ids runs were submitted, repetitions included. */
  readonly messageIds: string[] = [];
  /** Sees and writes as anybody else. */
  readonly observer: { readonly bus: TwinBus; readonly books: Books };
  /** What `living` says of schedulers that are dead. */
  readonly ghosts: string[] = [];
  /** Each takes itself for the only one. */
  isBlind = false;

  constructor(mission: Mission = scheduleMission()) {
    this.mission = mission;
    const bus = this.#bus('observer', new ProcessClock(this.clock, 0), () => 0);
    this.observer = { bus, books: openBooks({ bus, clock: this.clock, log: keptLog() }) };
    void this.observer.books.schedules.ready;
    void this.observer.books.rules.ready;
  }

  get now(): number {
    return this.clock.now();
  }

  /** With a scheduler of each of these names. */
  static async start(names: readonly string[] = ['one'], mission?: Mission): Promise<ScheduleWorld> {
    const world = new ScheduleWorld(mission);
    await world.run(100);
    const { bus } = world.observer;
    const follow = bus.follow(streams.runSubmissions, subject.runSubmit, { from: 'start' }, (message) => {
      world.submissions.push(submissionOf(message));
    });
    await world.finish(follow);
    for (const name of names) await world.process(name);
    await world.run(1_000);
    return world;
  }

  /** Another scheduler; of its bus `over` does some things otherwise. */
  async process(name: string, over: BusParts = {}): Promise<SchedulerProcess> {
    const clock = new ProcessClock(this.clock, 0);
    const log = keptLog();
    const process = { name, clock, log, late: 0, registry: new Registry() };
    const twin = this.#bus(name, clock, () => process.late);
    const append: Bus['append'] = (stream, on, data, options) => {
      if (stream === streams.runSubmissions) this.messageIds.push(options?.id ?? '');
      return (over.append?.(twin) ?? twin.append.bind(twin))(stream, on, data, options);
    };
    const bus = partlyOther<Bus>(twin, { append, ...(over.bucket && { bucket: over.bucket(twin) }) });
    const books = openBooks({ bus, clock, log });
    const missions = new TestMissions(this.mission);
    const context = {
      ...process,
      bus,
      books,
      passes: books.passes,
      missions,
      random: seededRandom(1),
      instance: name,
      living: () => (this.isBlind ? [name] : [...this.processes.map((each) => each.name), ...this.ghosts]),
      deadLetters: createDeadLetters(bus, log),
      failpoint: undefined,
      failed: (reason: string) => {
        throw new Error(reason);
      },
    };
    const role: Role = await startScheduler(context as unknown as RoleContext);
    const running: SchedulerProcess = Object.assign(process, {
      bus: twin,
      books,
      missions,
      kill: () => {
        twin.cut();
        clock.end();
        this.processes.splice(this.processes.indexOf(running), 1);
      },
      stop: async () => {
        await role.stop();
        await books.stop();
      },
    });
    this.processes.push(running);
    await this.run(50);
    return running;
  }

  /** What an API process has, with a way to the bus that takes that long each time, ms. */
  async api(name: string, latencyMs: () => number = () => 1): Promise<ScheduleTools & Stoppable> {
    const bus = this.#bus(name, new ProcessClock(this.clock, 0), () => 0, latencyMs);
    const books = openBooks({ bus, clock: this.clock, log: keptLog() });
    await this.finish(Promise.all([books.passes.ready, books.schedules.ready, books.rules.ready]));
    const { passes, schedules } = books;
    return { bus, clock: this.clock, passes, schedules, stop: () => books.stop() };
  }

  /** Moves time, and lets everything happen that happens meanwhile. */
  async run(ms: number): Promise<void> {
    await this.runTo(this.now + ms);
  }

  async runTo(at: number): Promise<void> {
    await settled();
    for (let due = this.clock.next(); due !== undefined && due <= at; due = this.clock.next()) {
      this.clock.step();
      await settled();
    }
    this.clock.advanceTo(at);
    await settled();
  }

  /** Runs until this is done, at most for a minute. */
  async finish<Value>(work: Promise<Value>): Promise<Value> {
    let isDone = false;
    void work.finally(() => (isDone = true)).catch(() => undefined);
    const end = this.now + MINUTE;
    for (await settled(); !isDone && this.now < end; await settled()) if (!this.clock.step()) break;
    return work;
  }

  async pass(more: Partial<StoredPass> = {}): Promise<StoredPass> {
    const pass = storedPass(more);
    const bytes = Buffer.from(JSON.stringify(pass));
    await this.finish(
      this.observer.bus.bucket(buckets.passes).overwrite(passKey(pass.target, pass.id), bytes),
    );
    await this.run(20);
    return pass;
  }

  async removePass(id = 'p1', target = 'sat1'): Promise<void> {
    const entry = await this.finish(this.observer.bus.bucket(buckets.passes).get(passKey(target, id)));
    const revision = entry?.revision ?? 0;
    await this.finish(this.observer.bus.bucket(buckets.passes).remove(passKey(target, id), revision));
    await this.run(20);
  }

  /** Creates a schedule as the API does. */
  async schedule(more: Partial<ScheduleRequest> = {}, by = 'ada'): Promise<StoredSchedule> {
    const tools = { bus: this.observer.bus, clock: this.clock, ...this.observer.books };
    const { passes, schedules } = this.observer.books;
    const request = { ...REQUEST, ...more };
    const work = async (): Promise<StoredSchedule> => {
      const draft = await draftOf(request, this.mission, { ...tools, passes });
      if (!draft.ok) throw new Error(JSON.stringify(draft.faults));
      const created = await createSchedule(
        draft.value,
        this.mission,
        { ...tools, passes, schedules },
        { by },
      );
      if (created.outcome !== 'created') throw new Error(JSON.stringify(created));
      return created.stored;
    };
    const stored = await this.finish(work());
    await this.run(20);
    return stored;
  }

  async rule(more: Partial<StoredRule> = {}): Promise<StoredRule> {
    const rule = { ...RULE, updated_at: new Date(this.now).toISOString(), ...more };
    const bucket = this.observer.bus.bucket(buckets.scheduleRules);
    await this.finish(bucket.overwrite(rule.id, Buffer.from(JSON.stringify(rule))));
    await this.run(20);
    return rule;
  }

  /** The record of a schedule as the bus has it. */
  stored(id = 's1'): StoredSchedule | undefined {
    const { name } = buckets.schedules;
    const message = this.server.bucket(buckets.schedules).last(`$KV.${name}.${id}`);
    if (message === undefined || message.data.length === 0) return undefined;
    return JSON.parse(Buffer.from(message.data).toString()) as StoredSchedule;
  }

  state(id = 's1'): string {
    return this.stored(id)?.state ?? 'none';
  }

  /** What the processes have counted together. */
  async counted(): Promise<Record<string, number>> {
    const counts: Record<string, number> = { fired: 0, missed: 0 };
    for (const { registry } of this.processes) {
      const metric = registry.getSingleMetric('mcs_scheduler_runs_total')!;
      const { values } = await metric.get();
      for (const { labels, value } of values) counts[String(labels['outcome'])]! += value;
    }
    return counts;
  }

  publish(mission: Mission): void {
    for (const { missions } of this.processes) missions.publish(mission);
  }

  async stop(): Promise<void> {
    for (const { books } of [this.observer])
      await this.finish(Promise.all([books.passes.stop(), books.schedules.stop(), books.rules.stop()]));
    for (const process of [...this.processes]) await this.finish(process.stop());
  }

  #bus(name: string, clock: ProcessClock, late: () => number, latencyMs = () => 1): TwinBus {
    return new TwinBus({
      server: this.server,
      name,
      settleMs: 0,
      outside: this.clock,
      inside: clock,
      arrivals: clock.arrivals,
      pulled: clock.pulled,
      weather: { ...fairWeather, latencyMs, pullMs: () => 1 + late() },
      log: keptLog(),
    });
  }
}

export const REQUEST: ScheduleRequest = {
  id: 's1',
  pass: 'p1',
  start: 'aos + 30 s',
  run: 'nothing',
  targets: { sat: 'sat1' },
  environment: 'lab',
};

export const RULE: StoredRule = {
  id: 'each',
  target: 'sat1',
  start: 'aos + 30 s',
  run: 'nothing',
  targets: { sat: 'sat1' },
  environment: 'lab',
  by: 'ada',
  updated_at: new Date(AOS - 60 * MINUTE).toISOString(),
};

/** Things that a bus does otherwise, each made of the real one. */
export type BusParts = { readonly [Name in 'append' | 'bucket']?: (real: Bus) => Bus[Name] };

function submissionOf({ data }: StreamMessage): RunSubmission {
  return JSON.parse(Buffer.from(data).toString()) as RunSubmission;
}
