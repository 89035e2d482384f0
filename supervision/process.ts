/**
 * One process of the service: the bus, the roles it was given, and the tree that keeps them up. The only place where
 * adapters, roles and the runtime are put together.
 *
 * I1. The API listens before the bus answers: it says 503 rather than nothing.
 * I2. The other roles start when the bus can be reached, however long that takes.
 * I3. A process ends in order (`stop`): what cannot wait comes first (a transmitter is muted), then it takes nothing
 *     more, frees what it owns, and leaves the bus.
 * I4. Where health and metrics have a port of their own, it listens from the first moment to the last.
 */

import { Registry } from 'prom-client';
import { followerCredentials, unitCredentials } from '../bus/follower-credentials.ts';
import type { FollowerSigner, UnitSigner } from '../bus/identity.ts';
import type { ChildState } from '../contract/inspection.ts';
import { MEMBER_TTL_MS } from '../contract/limits/membership.ts';
import { identifierSource } from '../http/identifier.ts';
import { serveProbes } from '../http/probes.ts';
import type { FrontEnd } from '../http/serve.ts';
import { MissionTokens } from '../identity/mission-tokens.ts';
import type { SpacecraftFactory } from '../links/simulated/spacecraft.ts';
import { type Books, openBooks } from '../messaging/books.ts';
import { StreamFills } from '../messaging/stream-fills.ts';
import { everyOutage, growingPauseMs, retryWhileBusIsAway } from '../messaging/while-bus-is-away.ts';
import type { Bus, Stoppable } from '../ports/bus.ts';
import type { Clock, Random } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Replication } from '../ports/replication.ts';
import { fileDirectory } from '../telemetry/file-directory.ts';
import { startValueFeeds } from '../telemetry/value-feeds.ts';
import { ArchiveWatch } from './archive/health.ts';
import { type ArchiveStorage, machineStorage } from './archive/storage.ts';
import { createDeadLetters, type DeadLetters } from './cells/dead-letters.ts';
import { BusMissionSource } from './configuration.ts';
import { descriptors } from './descriptors.ts';
import { InspectionService } from './inspection/service.ts';
import { installationOf } from './installation.ts';
import { instanceName } from './instance-name.ts';
import { registerProcessMetrics } from './metrics/process.ts';
import { registerStreamMetrics } from './metrics/streams.ts';
import type { Machine } from './ownership/machine.ts';
import { Membership } from './ownership/membership.ts';
import type { RoleFactory, RoleName } from './role.ts';
import { startAlarms } from './roles/alarms.ts';
import { apiRole } from './roles/api.ts';
import { startArchive } from './roles/archive.ts';
import { type BenchOptions, benchRole, PLAIN_BENCH_OPTIONS } from './roles/bench.ts';
import { startDrivers } from './roles/drivers.ts';
import { startExecutor } from './roles/executor.ts';
import { startGateways } from './roles/gateways.ts';
import { startReconciler } from './roles/reconciler.ts';
import { startScheduler } from './roles/scheduler.ts';
import { startTelemetry } from './roles/telemetry.ts';
import { startTransfers } from './roles/transfers.ts';
import { Tree } from './tree.ts';

export interface ProcessOptions {
  readonly bus: Bus;
  /** A connection of its own for what says that this process lives (membership.E7); default: `bus`. */
  readonly pulse?: Bus;
  /** Copies of the streams of that bus; default: nobody looks after them. */
  readonly replication?: Replication;
  readonly roles: readonly RoleName[];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly port?: number;
  readonly host?: string;
  /** Further names that clients call this process by, on every port of it. */
  readonly allowHosts?: readonly string[];
  /** Where `/healthz` and `/metrics` are answered beside or without an API; default: nowhere, 0: a free port. */
  readonly metricsPort?: number;
  /** Of the role bench, which is started with it alone. */
  readonly bench?: BenchOptions;
  readonly missionFolder?: string;
  /** What this process keeps beside the bus, its archive, is in here; default: nothing is kept. */
  readonly stateFolder?: string;
  /** How long samples wait in memory until they are in a segment of the archive; default: `ARCHIVE_OPEN_MS`. */
  readonly archiveOpenMs?: number;
  /** Where an archive stands; default: on the disk of the machine. */
  readonly archiveStorage?: ArchiveStorage;
  /** Signs credentials of followers; default: none are given. */
  readonly followerSigner?: FollowerSigner;
  /** Signs credentials of units; default: they are given none. */
  readonly unitSigner?: UnitSigner;
  /** Name of the process among the members, a token no other living process has; default: host, pid and chance. */
  readonly instance?: string;
  readonly failpoint?: string;
  /** Time to live of a silent process for the others. */
  readonly memberTtlMs?: number;
  /** Default: the one this runs on. */
  readonly machine?: Machine;
  /** Stands in for the front end over sockets. */
  readonly frontEnd?: RoleFactory;
  /** Where simulated gateways find their spacecraft; default: each makes its own. */
  readonly spacecraft?: SpacecraftFactory;
  /** Done once the bus answers, before any role but the API starts; asked again after an outage. */
  readonly prepare?: () => Promise<unknown>;
  /** The process is beyond repair; whoever started it decides. */
  readonly escalated: (reason: string) => void;
}

export interface ServiceProcess {
  /** Base URL of the API, when it has that role. */
  readonly api: string | undefined;
  /** Base URL of the RF bench, once it listens. */
  readonly bench: string | undefined;
  /** Base URL of health and metrics, when they have a port of their own. */
  readonly metrics: string | undefined;
  /**
   * Resolves with true when every role runs and everything the mission asks for is done by somebody, with false when
   * the process was stopped before.
   */
  readonly ready: Promise<boolean>;
  stop(): Promise<void>;
}

const SETTLED_POLL_MS = 20;

const factories: Record<Exclude<RoleName, 'api' | 'bench'>, RoleFactory> = {
  executor: startExecutor,
  telemetry: startTelemetry,
  drivers: startDrivers,
  gateways: startGateways,
  alarms: startAlarms,
  reconciler: startReconciler,
  scheduler: startScheduler,
  transfers: startTransfers,
  archive: startArchive,
};

/** Starts the process and resolves when its API listens; see `ready` for the rest. */
export async function startProcess(options: ProcessOptions): Promise<ServiceProcess> {
  const service = new Service(options);
  await service.listen();
  return service;
}

class Service implements ServiceProcess {
  readonly ready: Promise<boolean>;
  readonly #options: ProcessOptions;
  readonly #missions: BusMissionSource;
  readonly #tokens: MissionTokens;
  readonly #values: ReturnType<typeof startValueFeeds>;
  readonly #books: Books & Stoppable;
  readonly #membership: Membership;
  readonly #tree: Tree;
  readonly #inspection: InspectionService;
  readonly #registry: Registry;
  readonly #fills: StreamFills;
  readonly #archiveHealth = new ArchiveWatch();
  #begin: () => void = () => undefined;
  readonly #stopping = new AbortController();
  #api: string | undefined;
  #bench: string | undefined;
  #probes: FrontEnd | undefined;

  constructor(options: ProcessOptions) {
    this.#options = options;
    const { bus, clock, log, replication } = options;
    const instance = options.instance ?? instanceName();
    const registry = new Registry();
    this.#registry = registry;
    this.#missions = new BusMissionSource(bus, clock, log);
    const { missionFolder } = options;
    this.#tokens = new MissionTokens({ missions: this.#missions, clock, log, fetch, missionFolder });
    this.#values = startValueFeeds({ bus, missions: this.#missions, clock, log });
    this.#books = openBooks({ bus, clock, log });
    this.#membership = this.#newMembership(instance);
    const deadLetters = createDeadLetters(bus, log);
    this.#tree = this.#newTree(instance, deadLetters);
    this.#inspection = new InspectionService({ bus, clock, log, instance, tree: this.#tree, deadLetters });
    const alone = options.machine === undefined;
    registerProcessMetrics(registry, { bus, missions: this.#missions, deadLetters, alone, replication });
    this.#fills = new StreamFills({ bus, clock, log, missions: this.#missions, descriptors });
    registerStreamMetrics(registry, this.#fills);
    this.#missions.onChange(({ settings }) => replication?.install(installationOf(settings)));
    this.ready = new Promise<void>((resolve) => {
      this.#begin = resolve;
    }).then(async () => {
      await this.#start();
      return !this.#stopped;
    });
    this.ready.catch(() => undefined);
  }

  #newMembership(instance: string): Membership {
    const { bus, clock, log, roles, pulse, machine, memberTtlMs = MEMBER_TTL_MS } = this.#options;
    return new Membership({
      bus,
      clock,
      log,
      instance,
      roles,
      ttlMs: memberTtlMs,
      ...(pulse !== undefined && { pulse }),
      ...(machine !== undefined && { machine }),
      changed: () => this.#tree.reconcile(),
    });
  }

  #newTree(instance: string, deadLetters: DeadLetters): Tree {
    const { bus, clock, log, random, replication, missionFolder, stateFolder } = this.#options;
    return new Tree({
      instance,
      clock,
      random,
      log,
      membership: this.#membership,
      pulse: this.#options.pulse ?? bus,
      escalated: this.#options.escalated,
      context: {
        bus,
        clock,
        random,
        missions: this.#missions,
        values: this.#values,
        files: fileDirectory(this.#values),
        passes: this.#books.passes,
        books: this.#books,
        living: (role) => this.#membership.alive(role),
        memberTtlMs: this.#options.memberTtlMs ?? MEMBER_TTL_MS,
        tokens: this.#tokens,
        followers: followerCredentials(this.#options.followerSigner),
        units: unitCredentials(this.#options.unitSigner),
        deadLetters,
        registry: this.#registry,
        replication,
        fills: () => this.#fills.all,
        silent: () => this.#fills.silent,
        instance,
        missionFolder,
        stateFolder,
        archiveOpenMs: this.#options.archiveOpenMs,
        archiveStorage: this.#options.archiveStorage ?? machineStorage,
        archiveHealth: this.#archiveHealth,
        failpoint: this.#options.failpoint,
        spacecraft: this.#options.spacecraft,
      },
    });
  }

  get api(): string | undefined {
    return this.#api;
  }

  get bench(): string | undefined {
    return this.#bench;
  }

  get metrics(): string | undefined {
    return this.#probes?.url;
  }

  async listen(): Promise<void> {
    const { roles, port = 0, host = '127.0.0.1', allowHosts = [], metricsPort, frontEnd } = this.#options;
    if (metricsPort !== undefined) this.#probes = await this.#serveProbes(host, metricsPort);
    if (roles.includes('api')) {
      const listening = (url: string): void => {
        this.#api = url;
      };
      const state = { roles: () => this.#roles(), settled: () => this.#tree.settled };
      const api = frontEnd ?? apiRole({ port, host, allowHosts, ...state, listening });
      try {
        await this.#tree.start('api', api);
      } catch (error) {
        await this.#probes?.close();
        throw error;
      }
    }
    this.#begin();
  }

  async stop(): Promise<void> {
    this.#stopping.abort('stopped');
    this.#probes?.drain();
    await this.#tree.halt();
    await this.ready.catch(() => undefined);
    await this.#tree.drain();
    await this.#inspection.stop();
    await this.#membership.leave();
    await this.#values.stop();
    await this.#books.stop();
    await this.#fills.stop();
    this.#tokens.stop();
    await this.#missions.stop();
    await this.#probes?.close();
  }

  #serveProbes(host: string, port: number): Promise<FrontEnd> {
    const { bus, clock, log } = this.#options;
    const ports = {
      bus,
      clock,
      log,
      missions: this.#missions,
      tokens: this.#tokens,
      registry: this.#registry,
    };
    const newId = identifierSource(clock);
    const { allowHosts = [], replication } = this.#options;
    const state = {
      archiveHealth: this.#archiveHealth,
      fills: () => this.#fills.all,
      silent: () => this.#fills.silent,
      roles: () => this.#roles(),
      settled: () => this.#tree.settled,
    };
    const reached = { ...ports, replication, ...state };
    return serveProbes({ host, port, allowHosts, ports: reached, newId });
  }

  /** What was not begun yet is starting. */
  #roles(): Readonly<Record<string, ChildState>> {
    const known = new Map(this.#tree.branches().map(({ role, state }) => [role, state]));
    return Object.fromEntries(this.#options.roles.map((role) => [role, known.get(role) ?? 'starting']));
  }

  async #start(): Promise<void> {
    await this.#whileBusIsAway(async () => void (await this.#options.prepare?.()));
    await this.#whileBusIsAway(() => this.#missions.start());
    this.#fills.start();
    // Before others can see this process among the members, and ask it.
    this.#inspection.start();
    await this.#whileBusIsAway(() => this.#membership.start());
    for (const role of this.#options.roles) {
      if (role !== 'api') await this.#whileBusIsAway(() => this.#tree.start(role, this.#factoryOf(role)));
    }
    this.#tree.reconcile();
    await this.#whenSettled();
  }

  #factoryOf(role: Exclude<RoleName, 'api'>): RoleFactory {
    if (role !== 'bench') return factories[role];
    const { bench = PLAIN_BENCH_OPTIONS, host = '127.0.0.1', allowHosts = [] } = this.#options;
    const listening = (url: string): void => {
      this.#bench = url;
    };
    return benchRole({ ...bench, host, allowHosts, listening });
  }

  /**
   * Tries until the bus answers, ever more seldom, and at once when it is connected again (I2); each reason is logged
   * once.
   */
  async #whileBusIsAway(step: () => Promise<void>): Promise<void> {
    const { bus, clock, log } = this.#options;
    let reason: string | undefined;
    await retryWhileBusIsAway(
      {
        clock,
        signal: this.#stopping.signal,
        waitsFor: everyOutage,
        finishes: true,
        pauseMs: growingPauseMs,
        wakeOn: (wake) => bus.onConnection((connected) => connected && wake()),
        waits: ({ message }) => {
          if (message !== reason) log.warn({ reason: message }, 'waiting for the bus');
          reason = message;
        },
      },
      step,
    );
  }

  get #stopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #whenSettled(): Promise<void> {
    while (!this.#stopped && !this.#tree.settled) await this.#pause(SETTLED_POLL_MS);
    if (!this.#stopped) await Promise.all([this.#values.ready, this.#books.passes.ready]);
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#options.clock.setTimeout(resolve, ms));
  }
}
