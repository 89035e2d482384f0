/**
 * A simulated run of the whole runtime in one thread: processes, bus, clients and spacecraft on one clock that a loop
 * moves from event to event. Between two events only promises settle, so a seed decides everything.
 *
 * R1. No timer of the machine and no I/O takes part: what a run does depends on its scenario alone.
 * R2. After `calmAt` nothing new goes wrong; then every process is up and the run goes on until all is settled or its
 *     patience is over.
 */

import { gzipSync } from 'node:zlib';
import { buckets, objectStores } from '../../contract/bus/buckets.ts';
import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import type { StoredSchedule } from '../../contract/stored-schedule.ts';
import type { StoredTransfer } from '../../contract/transfer.ts';
import type { Bus } from '../../ports/bus.ts';
import { HeapClock } from '../../supervision/clock.ts';
import { type EndedProcess, recordedAlarm, storedAlarms } from './alarm-history.ts';
import type { Answer } from './api.ts';
import { ArchiveWorld } from './archive/archive-world.ts';
import type { Planted } from './archive/disks.ts';
import { archiveMission } from './archive/mission.ts';
import { Chance } from './chance.ts';
import { Clients } from './client.ts';
import { FaultPlan, type Stage } from './fault-plan.ts';
import {
  type Acknowledged,
  type Asked,
  announced,
  type History,
  holesIn,
  recorded,
  storedHistory,
} from './history.ts';
import { measure } from './instruments.ts';
import { knownValues } from './known-values.ts';
import { GATEWAYS, type Published, published, watched } from './mission.ts';
import { Operators } from './operators.ts';
import { People } from './people.ts';
import { ProcessClock } from './process-clock.ts';
import { type Conditions, calm, processWeather } from './process-weather.ts';
import { bodyOf, keyOf, recordedRun, storedRuns } from './run-history.ts';
import type { Scenario, Submission } from './scenario.ts';
import type { ClockSet } from './schedules/history.ts';
import { storedPlans } from './schedules/history.ts';
import { variants } from './schedules/mission.ts';
import { Planners } from './schedules/planners.ts';
import { LAST_START_MS } from './schedules/planning.ts';
import { QuietWatch } from './schedules/quiet-watch.ts';
import { SimulatedProcess } from './simulated-process.ts';
import { Space } from './space.ts';
import { START_MS } from './start.ts';
import { Trace } from './trace.ts';
import { DECODING_TROUBLE_MS } from './transfers/decoding-troubles.ts';
import { FileWorld } from './transfers/file-world.ts';
import { knownFiles } from './transfers/known-files.ts';
import { filesMission } from './transfers/mission.ts';
import { TwinServer } from './twin/server.ts';
import { everStored, type Held, kept, type StoredMessage } from './twin/stored-stream.ts';

export interface RunOptions {
  readonly keepTrace?: boolean;
  /** Planted defects. */
  readonly wrapBus?: (bus: Bus, instance: string) => Bus;
  readonly ignoresExpectations?: boolean;
  /** Planted between an archive and its disk, or its threads. */
  readonly archive?: Planted;
  readonly wrapClock?: (clock: ProcessClock) => ProcessClock;
}

export interface Run {
  readonly history: History;
  readonly trace: Trace;
  /** Simulated time it took, ms. */
  readonly tookMs: number;
  /** Events of the loop. */
  readonly steps: number;
  /** Starts of processes. */
  readonly lives: number;
}

/** After the last fault: the longest window of a verification, twice what a takeover and a slow driver may take. */
const PATIENCE_MS = 120_000;
/** The same for files: runs hold targets for a minute more, and what was asked then is waited for as long again. */
const FILES_PATIENCE_MS = 240_000;
/** The same for archives: what they have is asked again when they have looked after their segments. */
const ARCHIVES_PATIENCE_MS = 200_000;
/**
 * How long a run goes on in silence when everything is over: for late echoes, and until the last sample has arrived.
 */
const EPILOGUE_MS = 3_000;
/** A process that has been up for so long has taken what it shall own. */
const SETTLED_UP_MS = 4_000;
const LOOK_EVERY_MS = 500;
const ESCALATED_BACK_MS = 1_000;
const CHANGES_STATE = (telecommand: string): boolean => !telecommand.endsWith('.ping');

interface SlotState {
  life: number;
  process: SimulatedProcess | undefined;
  startedAt: number;
  readonly conditions: Conditions;
}

/** Runs the scenario to its end. */
export async function run(scenario: Scenario, options: RunOptions = {}): Promise<Run> {
  const world = new World(scenario, options);
  const defects = watchDefects();
  try {
    return await world.run(defects.seen);
  } finally {
    defects.stop();
  }
}

class World implements Stage {
  readonly clock = new HeapClock(START_MS);
  readonly server: TwinServer;
  readonly space: Space;
  readonly #scenario: Scenario;
  readonly #options: RunOptions;
  readonly #trace: Trace;
  readonly #slots: SlotState[];
  readonly #clients: Clients;
  readonly #people: People;
  readonly #operators: Operators;
  readonly #planners: Planners;
  readonly #quiet: QuietWatch;
  readonly #files: FileWorld | undefined;
  readonly #archives: ArchiveWorld | undefined;
  readonly #clocks: ClockSet[] = [];
  readonly #mission: Published;
  readonly #plan: FaultPlan;
  readonly #asked = new Map<string, Asked>();
  readonly #acknowledged: Acknowledged[] = [];
  readonly #running = new Map<number, string>();
  readonly #lit: string[] = [];
  readonly #last: string[] = [];
  readonly #ended: EndedProcess[] = [];
  #lives = 0;
  #rewinds = 0;
  /** How far the time of day is ahead of the time in which things happen. */
  #leapMs = 0;

  constructor(scenario: Scenario, options: RunOptions) {
    const { seed } = scenario;
    this.#scenario = scenario;
    this.#options = options;
    this.#mission = missionOf(scenario);
    this.#trace = new Trace(options.keepTrace === true);
    const queues = new Chance(seed, 'queues');
    this.server = new TwinServer({
      now: () => Math.floor(this.clock.now()) + this.#leapMs,
      choose: (count) => queues.whole(0, count - 1),
      ...(options.ignoresExpectations === true && { ignoresExpectations: true }),
    });
    this.space = new Space({
      clock: this.clock,
      gateways: GATEWAYS,
      order: () => this.server.order,
      told: ({ by, gateway, frame }) => this.tell(by, `uplink ${gateway} ${frame}`),
    });
    this.#slots = scenario.slots.map(() => ({
      life: 0,
      process: undefined,
      startedAt: 0,
      conditions: calm(),
    }));
    this.#clients = new Clients({
      clock: this.clock,
      chance: new Chance(seed, 'clients'),
      processAt: (slot) => this.#slots[slot]?.process,
      slots: scenario.slots.length,
      asks: (id, submission) => this.#asks(id, submission),
      answered: (id, submission, by, answer) => this.#answered(id, submission, by, answer),
    });
    const asking = {
      seed,
      clock: this.clock,
      server: this.server,
      processAt: (slot: number) => this.#slots[slot]?.process,
      slots: scenario.slots.length,
      untilCalm: () => this.untilCalm(),
      tell: (what: string) => this.tell('people', what),
    };
    this.#people = new People(asking);
    this.#operators = new Operators(asking);
    this.#planners = new Planners({ ...asking, tell: (what) => this.tell('planning', what) });
    this.#plan = new FaultPlan(scenario, this);
    const { moving, calmAt } = scenario;
    const about = {
      isSilent: () => this.#plan.electing,
      wrapBus: options.wrapBus,
      tell: (what: string) => this.tell('files', what),
    };
    this.#files = moving && new FileWorld({ ...asking, ...about, moving, calmAt });
    const { keeping } = scenario;
    this.#archives =
      keeping &&
      new ArchiveWorld({
        ...asking,
        isSilent: about.isSilent,
        mission: this.#mission,
        keeping,
        places: scenario.slots,
        calmAt,
        planted: options.archive ?? {},
        kill: (slot, why, backMs) => this.kill(slot, why, backMs),
        leap: (byMs) => this.#leap(byMs),
        tell: (what) => this.tell('archives', what),
      });
    this.#quiet = new QuietWatch(
      this.clock,
      () => this.#plan.electing,
      () =>
        this.#slots.map((slot, n) => ({
          ...slot,
          isScheduler: scenario.slots[n]!.roles.includes('scheduler'),
        })),
    );
  }

  async run(defects: readonly string[]): Promise<Run> {
    this.#publishMission();
    this.#listen();
    for (const [slot, { startMs }] of this.#scenario.slots.entries()) {
      this.clock.setTimeout(() => this.start(slot), startMs);
    }
    for (const submission of this.#scenario.submissions) this.#clients.plan(submission);
    this.#people.plan(this.#scenario.launches);
    const { stragglers = [] } = this.#scenario;
    const instruments = { clock: this.clock, server: this.server, mission: this.#mission };
    measure(stragglers, instruments);
    this.#planWatch();
    this.#planPlanning();
    this.#files?.plan();
    this.#archives?.plan();
    this.#plan.arm();
    const steps = await this.#loop();
    await this.#archives?.readDisks();
    return {
      history: this.#history(defects),
      trace: this.#trace,
      tookMs: this.clock.now() - START_MS,
      steps,
      lives: this.#lives,
    };
  }

  #planWatch(): void {
    const { watch } = this.#scenario;
    if (watch === undefined) return;
    const instruments = { clock: this.clock, server: this.server, mission: this.#mission };
    measure([...watch.measurements, ...watch.last], instruments);
    this.#operators.plan(watch.acts);
    this.#people.look();
  }

  #planPlanning(): void {
    const { planning } = this.#scenario;
    if (planning === undefined) return;
    this.#planners.plan(planning);
    for (const { at, variant } of planning.publications)
      this.clock.setTimeout(() => this.#publishAgain(variants()[variant]), at);
    this.#people.look();
    this.#quiet.start();
  }

  /** Somebody publishes when the bus is there. */
  #publishAgain(published: Published): void {
    if (this.server.up && !this.#plan.electing) this.#publish(published);
    else this.clock.setTimeout(() => this.#publishAgain(published), LOOK_EVERY_MS);
  }

  #history(defects: readonly string[]): History {
    const complete = this.#historyOf(everStored, defects);
    if (this.#rewinds === 0) return complete;
    const { runs, acknowledged, ...rest } = this.#historyOf(kept, defects);
    const there = new Set(runs.submissions.map((message) => bodyOf<{ run: string }>(message).run));
    const lost = this.#lostSubmissions();
    return {
      ...rest,
      complete,
      holes: holesIn(complete),
      isUneven: this.#scenario.faults.some(
        (fault) =>
          (fault.kind === 'hole' && fault.of === undefined) || (fault.kind === 'rewind' && fault.uneven),
      ),
      // What went with the store is no promise any more.
      runs: { ...runs, launched: runs.launched.filter(({ run }) => there.has(run)) },
      acknowledged: acknowledged.filter(({ id }) => !lost.has(id)),
    };
  }

  #historyOf(held: Held, defects: readonly string[]): History {
    const { launched, accepted, refused } = this.#people;
    const runs = { ...storedRuns(this.server, held), launched, accepted, refused, lit: this.#lit };
    const reported = { accepted: this.#operators.accepted, ended: this.#ended, endedAt: this.clock.now() };
    return {
      mission: this.#mission,
      ...storedHistory(this.server, held),
      runs,
      alarms: { ...storedAlarms(this.server), ...reported },
      asked: new Map([...this.#asked, ...announced(runs)]),
      acknowledged: this.#acknowledged,
      uplinks: this.space.uplinks,
      last: this.#last,
      ...(this.#scenario.onlyClocks && { onlyClocks: true as const }),
      ...(this.#scenario.planning !== undefined && {
        plans: {
          ...storedPlans(this.server, held),
          asked: this.#planners.asked,
          clocks: this.#clocks,
          quiet: this.#quiet.spans,
          endedAt: this.clock.now(),
        },
      }),
      ...(this.#files !== undefined && {
        files: {
          ...this.#files.history(held),
          known: this.#slots.flatMap(({ process }) => (process === undefined ? [] : knownFiles(process))),
        },
      }),
      ...(this.#archives !== undefined && { archives: this.#archives.history() }),
      known: this.#slots.flatMap(({ process }) => (process === undefined ? [] : knownValues(process))),
      defects,
    };
  }

  tell(who: string, what: string): void {
    this.#trace.add({ at: Math.round(this.clock.now() - START_MS), who, what });
  }

  untilCalm(): number {
    return START_MS + this.#scenario.calmAt - this.clock.now();
  }

  // Processes, as faults treat them ----------------------------------------------------------------------------------

  conditions(slot: number): Conditions {
    return this.#slots[slot]!.conditions;
  }

  process(slot: number): SimulatedProcess | undefined {
    return this.#slots[slot]?.process;
  }

  start(slot: number): void {
    const state = this.#slots[slot]!;
    if (state.process !== undefined) return;
    state.life += 1;
    state.startedAt = this.clock.now();
    this.#lives += 1;
    const instance = `p${slot}-${state.life}`;
    this.#running.set(this.#lives, instance);
    this.tell(instance, 'starts');
    state.process = this.#process(slot, instance, this.#lives);
    this.#noteClock(state.process);
  }

  stepClock(slot: number, byMs: number): void {
    const { process } = this.#slots[slot]!;
    if (process === undefined) return;
    process.clock.step(byMs);
    this.#noteClock(process);
  }

  /** Time passes in which nothing happens: no timer sees it, the time of day of everybody does. */
  #leap(byMs: number): void {
    this.#leapMs += byMs;
    for (const slot of this.#slots.keys()) this.stepClock(slot, byMs);
  }

  #noteClock({ instance, clock }: SimulatedProcess): void {
    this.#clocks.push({ instance, at: this.clock.now(), errorMs: clock.errorMs });
  }

  rewound(): void {
    this.#rewinds += 1;
    this.#people.rewound();
    this.#files?.rewound();
  }

  kill(slot: number, why: string, backMs: number): void {
    const state = this.#slots[slot]!;
    const { process } = state;
    if (process === undefined) return;
    this.tell(process.instance, `dies: ${why}`);
    process.kill();
    this.#ended.push({ instance: process.instance, at: this.clock.now() });
    this.#running.delete(process.pid);
    state.process = undefined;
    this.clock.setTimeout(() => this.start(slot), backMs);
  }

  leave(slot: number, backMs: number): void {
    const { process } = this.#slots[slot]!;
    if (process === undefined) return;
    this.tell(process.instance, 'leaves');
    void process.leave().then(() => {
      if (this.#slots[slot]?.process === process) this.kill(slot, 'has left', backMs);
    });
  }

  #process(slot: number, instance: string, pid: number): SimulatedProcess {
    const { seed, slots } = this.#scenario;
    const { roles, host, skewMs, driftPpm, state } = slots[slot]!;
    const clock = new ProcessClock(this.clock, skewMs + this.#leapMs, driftPpm);
    const weather = processWeather({
      seed,
      instance,
      conditions: this.conditions(slot),
      isHeard: () => !this.#plan.electing,
    });
    return new SimulatedProcess({
      seed,
      instance,
      host,
      pid,
      roles,
      clock: this.#options.wrapClock?.(clock) ?? clock,
      bus: { server: this.server, outside: this.clock, weather },
      space: this.space,
      keeps: this.#archives && {
        stateFolder: state!,
        archiveOpenMs: this.#scenario.keeping!.openMs,
        archiveStorage: this.#archives.storage({
          instance,
          clock,
          isAlive: () => this.#running.get(pid) === instance,
          reached: weather.reached,
        }),
      },
      said: (level, message) => this.tell(instance, `${level}: ${message}`),
      isRunning: (other) => this.#running.has(other),
      wrapBus: (bus, name) => {
        const seen = this.#files?.seen(bus, name, slot) ?? bus;
        return this.#options.wrapBus?.(seen, name) ?? seen;
      },
      escalated: (reason) => {
        // Not within the very step: whoever escalates finishes what it was doing.
        this.clock.setTimeout(() => {
          if (this.process(slot)?.instance === instance)
            this.kill(slot, `beyond repair: ${reason}`, ESCALATED_BACK_MS);
        }, 0);
      },
    });
  }

  // The loop ---------------------------------------------------------------------------------------------------------

  async #loop(): Promise<number> {
    const { calmAt } = this.#scenario;
    const end = START_MS + calmAt + this.#patienceMs;
    let settledAt = Number.POSITIVE_INFINITY;
    // Behind the moment at which the last fault ends, and what a process that slept until then has still to read.
    let lookAt = START_MS + calmAt + 1_000;
    let steps = 0;
    while ((this.clock.next() ?? end) < Math.min(end, settledAt + EPILOGUE_MS)) {
      this.clock.step();
      steps += 1;
      await promisesSettled();
      if (this.clock.now() < lookAt) continue;
      lookAt += LOOK_EVERY_MS;
      if (settledAt === Number.POSITIVE_INFINITY && this.#isSettled()) {
        settledAt = this.clock.now();
        this.#lit.push(...this.#litFaults());
        for (const gateway of GATEWAYS) this.space.of(gateway).fault('tm_silence', true);
      }
    }
    return steps;
  }

  get #patienceMs(): number {
    if (this.#archives !== undefined) return ARCHIVES_PATIENCE_MS;
    const decoding = this.#scenario.moving?.troubles.filter(({ kind }) => kind === 'decoding').length ?? 0;
    return this.#files === undefined ? PATIENCE_MS : FILES_PATIENCE_MS + decoding * DECODING_TROUBLE_MS;
  }

  #isSettled(): boolean {
    if (this.#clients.open > 0 || this.#people.open > 0 || !this.#runsAreOver()) return false;
    if (!this.#planningIsOver() || this.#files?.isOver === false) return false;
    if (this.#archives !== undefined) return this.#archives.isOver;
    const { planning, moving } = this.#scenario;
    if (planning === undefined && moving === undefined && !this.#alarmsAreQuiet()) return false;
    const upSince = this.clock.now() - SETTLED_UP_MS;
    if (this.#slots.some(({ process, startedAt }) => process === undefined || startedAt > upSince))
      return false;
    if (moving !== undefined) return true;
    const events = this.server.stream(streams.telecommandEvents).messages.map(recorded);
    const final = new Set(events.filter(({ event }) => isFinal(event.state)).map(({ id }) => id));
    const lost = this.#lostSubmissions();
    return this.#acknowledged.every(({ id }) => final.has(id) || lost.has(id)) && !this.#isKeptOf(final);
  }

  /** An owner that took over while the end of a telecommand was on its way finds it at its own next step. */
  #isKeptOf(over: ReadonlySet<string>): boolean {
    const kept = this.server.bucket(buckets.actors).lasts();
    return kept.some((message) => !message.removal && over.has(keyOf(message).split('.').at(-1)!));
  }

  /** What went with a store that went back, and was not submitted again. */
  #lostSubmissions(): Set<string> {
    const { lost, messages } = this.server.stream(streams.telecommands);
    if (lost.length === 0) return new Set();
    const there = new Set(messages.map((message) => bodyOf<{ id: string }>(message).id));
    return new Set(lost.map((message) => bodyOf<{ id: string }>(message).id).filter((id) => !there.has(id)));
  }

  /** Also what an end leaves to do. */
  #runsAreOver(): boolean {
    if (!this.#people.allOver) return false;
    return this.server
      .bucket(buckets.openRuns)
      .lasts()
      .every(({ removal }) => removal);
  }

  /** Everybody has an answer, and whatever starts soon has started. */
  #planningIsOver(): boolean {
    const { planning, calmAt } = this.#scenario;
    if (planning === undefined) return true;
    return this.#planners.open === 0 && this.clock.now() > START_MS + calmAt + LAST_START_MS;
  }

  /** Somebody leads, what was measured last is long ago, and every reaction is over and reported. */
  #alarmsAreQuiet(): boolean {
    const last = this.#scenario.watch?.last.reduce((latest, { at }) => Math.max(latest, at), 0);
    if (last !== undefined && this.clock.now() < START_MS + last + SETTLED_UP_MS) return false;
    if (this.#operators.open > 0) return false;
    const leases = this.server.bucket(buckets.leaders).lasts();
    const leader = leases.find((message) => keyOf(message) === 'alarms');
    const owner = leader && bodyOf<{ owner: string | null }>(leader).owner;
    if (!this.#slots.some(({ process }) => process?.instance === owner)) return false;
    return storedAlarms(this.server)
      .written.filter(({ message }) => this.server.bucket(buckets.alarms).last(message.subject) === message)
      .every(({ stored: { reactions = [] } }) => reactions.length === 0);
  }

  #litFaults(): string[] {
    return GATEWAYS.flatMap((gateway) =>
      [...this.space.of(gateway).faults].map((fault) => `${gateway} ${fault}`),
    );
  }

  #publishMission(): void {
    this.#publish(this.#mission);
  }

  #publish({ configuration, revision }: Published): void {
    const stream = this.server.bucket(buckets.config);
    const put = (key: string, data: Uint8Array): void =>
      void this.server.publish(stream, {
        subject: `$KV.${buckets.config.name}.${key}`,
        data,
        headers: {},
        // Published again it is written again.
        id: `${key} ${this.server.order}`,
        expect: undefined,
        writer: 'operator',
        by: 'operator',
        removal: false,
      });
    put(`revision.${revision}`, gzipSync(JSON.stringify(configuration)));
    put('current', Buffer.from(JSON.stringify({ revision })));
  }

  // What is reported -------------------------------------------------------------------------------------------------

  #listen(): void {
    const tell = (what: (message: StoredMessage) => string) => (message: StoredMessage) =>
      this.tell(message.by, what(message));
    this.server.stream(streams.telecommandEvents).onStored(
      tell((message) => {
        const { target, id, event, epoch } = recorded(message);
        return `${target} ${shortId(id)} ${event.state}${event.detail === undefined ? '' : ` (${event.detail})`} epoch ${epoch}`;
      }),
    );
    this.server
      .stream(streams.telecommands)
      .onStored(tell(({ subject, seq, headers: _headers }) => `stores submission ${seq} on ${subject}`));
    this.server.stream(streams.runs).onStored(
      tell((message) => {
        const { run, event, epoch } = recordedRun(message);
        const { run: _run, at: _at, event: kind, seq, ...fields } = event;
        return `run ${shortId(run)} ${seq} ${kind} ${shortened(JSON.stringify(fields))} epoch ${epoch}`;
      }),
    );
    this.server.stream(streams.alarms).onStored(
      tell((message) => {
        const { key, event, epoch } = recordedAlarm(message);
        const { seq, previous, state, cause, by = '', at } = event;
        return `alarm ${key} ${seq} ${previous} to ${state}, ${cause} ${by} (${at}) epoch ${epoch}`;
      }),
    );
    for (const bucket of REPORTED_BUCKETS) {
      this.server
        .bucket(bucket)
        .onStored(
          tell(({ subject, data, removal }) =>
            removal ? `removes ${subject}` : `writes ${subject} ${shortened(Buffer.from(data).toString())}`,
          ),
        );
    }
    this.server.bucket(buckets.schedules).onStored(tell((message) => describeSchedule(bodyOf(message))));
    if (this.#files !== undefined) this.#listenToFiles(tell);
    this.server
      .stream(streams.runSubmissions)
      .onStored(tell((message) => `submits ${Buffer.from(message.data).toString()}`));
    for (const stream of [streams.frames, streams.decoded, streams.values]) {
      this.server
        .stream(stream)
        .onStored(tell(({ subject, seq, data }) => `stores ${seq} on ${subject}, ${data.length} bytes`));
    }
    this.server.bucket(buckets.members).onStored(
      tell(({ subject, seq, data }) => {
        const key = subject.slice(`$KV.${buckets.members.name}.`.length);
        return `writes ${key} ${seq} ${Buffer.from(data).toString()}`;
      }),
    );
  }

  #listenToFiles(tell: (what: (message: StoredMessage) => string) => (message: StoredMessage) => void): void {
    this.server.bucket(buckets.transfers).onStored(
      tell((message) => {
        const {
          state,
          reason = '',
          received = [],
          updated_at: at,
        } = bodyOf<Partial<StoredTransfer>>(message);
        return `records ${keyOf(message)} ${state} ${JSON.stringify(received)} ${at} ${reason}`;
      }),
    );
    this.server
      .bucket({ name: objectStores.files.name })
      .onStored(
        tell((message) =>
          message.removal
            ? `removes ${keyOf(message)}`
            : `keeps ${keyOf(message)}, ${message.data.length} bytes`,
        ),
      );
    this.server
      .bucket(buckets.openTransfers)
      .onStored(tell((message) => `${message.removal ? 'closes' : 'opens'} ${keyOf(message)}`));
    this.server.stream(streams.fileChunks).onStored(
      tell(({ seq, subject, headers, data }) => {
        const { [header.generation]: generation, [header.offset]: offset } = headers;
        return `chunk ${seq} on ${subject}, generation ${generation}, ${data.length} from ${offset}`;
      }),
    );
  }

  #asks(id: string, { target, telecommand, isLast }: Submission): void {
    if (isLast === true) this.#last.push(id);
    this.#asked.set(id, { id, target, changesState: CHANGES_STATE(telecommand) });
    this.tell('client', `submits ${shortId(id)} ${telecommand} to ${target}`);
  }

  #answered(id: string, { target }: Submission, by: string, answer: Answer): void {
    if (answer.outcome === 'accepted') {
      const { duplicate } = answer;
      this.#acknowledged.push({ at: this.clock.now(), id, target, duplicate, by });
      this.tell('client', `${shortId(id)} accepted by ${by}${duplicate ? ' as a duplicate' : ''}`);
    } else if (answer.outcome === 'refused') {
      this.tell('client', `${shortId(id)} refused by ${by}: ${answer.codes.join(', ')}`);
    }
  }
}

/** Whose writes a trace shows. */
const REPORTED_BUCKETS = [
  buckets.leases,
  buckets.openRuns,
  buckets.alarms,
  buckets.leaders,
  buckets.passes,
  buckets.scheduleRules,
  buckets.ruleRefusals,
];

function describeSchedule(schedule: StoredSchedule): string {
  const { id, pass, run, state, reasons, fire_at, max_duration, validation, run_id, submitted, by } =
    schedule;
  const marks = [validation && `validated at ${validation.at}`, run_id, submitted && 'submitted'];
  return [
    `schedule ${id}: ${state}, ${run} on ${pass} at ${fire_at} for ${max_duration} by ${by}`,
    ...marks.filter(Boolean),
    ...reasons,
  ].join('; ');
}

function missionOf({ watch, planning, moving, keeping }: Scenario): Published {
  if (keeping !== undefined) return archiveMission(keeping.retains);
  if (moving !== undefined) return filesMission();
  if (planning !== undefined) return variants().first;
  return watch === undefined ? published : watched;
}

const SHOWN_LENGTH = 220;

function shortened(text: string): string {
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
}

export function shortId(id: string): string {
  return id.slice(-5);
}

function isFinal(state: string): boolean {
  return !['PENDING', 'ENCODED', 'SENT', 'ECHO'].includes(state);
}

/** Resolves when every promise that can settle without time has: promises come before this in every turn. */
function promisesSettled(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Rejections that nobody handles, which would end a real process. */
function watchDefects(): { readonly seen: string[]; stop(): void } {
  const seen: string[] = [];
  const note = (reason: unknown): void =>
    void seen.push(reason instanceof Error ? (reason.stack ?? reason.message) : String(reason));
  process.on('unhandledRejection', note);
  return { seen, stop: () => void process.off('unhandledRejection', note) };
}
