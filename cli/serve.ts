/**
 * `mcs serve`: some or all roles of the service in this process, on an embedded bus or a given one. When everything is
 * up it prints one JSON line on stdout; logs go to stderr.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { withoutSecrets } from '../bus/credentials.ts';
import { readSigners, type Signers } from '../bus/follower-credentials.ts';
import { type BusOptions, type NatsBus, openBus } from '../bus/nats-bus.ts';
import { type EmbeddedServer, startEmbeddedServer } from '../bus/server.ts';
import { isLoopback } from '../contract/loopback.ts';
import type { Log } from '../ports/log.ts';
import { guardBoard } from '../supervision/bench/board-guard.ts';
import { NO_BENCH_DOCUMENTS, readBenchFolder } from '../supervision/bench/folder.ts';
import { realClock } from '../supervision/clock.ts';
import { type Published, publishConfiguration } from '../supervision/configuration.ts';
import { type ServiceProcess, startProcess } from '../supervision/process.ts';
import { realRandom } from '../supervision/random.ts';
import { ALL_ROLES } from '../supervision/role.ts';
import type { BenchOptions } from '../supervision/roles/bench.ts';
import { busAccess } from './bus-access.ts';
import { defineCommand } from './command.ts';
import { WrongUsage } from './command-line.ts';
import { compileFolder, faultLine, hasMission } from './mission-folder.ts';
import { openLog } from './open-log.ts';
import { untilItEnds } from './process-end.ts';
import { SERVE_OPTIONS, type ServeOptions, serveOptions } from './serve-options.ts';

export interface Serving {
  readonly api: string | undefined;
  /** Of the RF bench, where this process has it. */
  readonly bench: string | undefined;
  readonly nats: string;
  readonly state: string | undefined;
  readonly service: ServiceProcess;
  stop(): Promise<void>;
}

const SERVE_USAGE = `mcs serve [--mission DIR] [--port N] [--host ADDRESS] [--allow-host NAME] [--nats URL]
          [--credentials FILE] [--nats-ca FILE] [--signer FILE] [--state DIR] [--nats-listen ADDRESS]
          [--roles a,b] [--metrics-port N] [--bench-port N]
  the service, or some of its roles: ${ALL_ROLES.join(', ')}; without --nats with a bus of its own, kept in --state;
  with --bench-port an RF bench. Environment: MCS_NATS, MCS_NATS_CREDENTIALS, MCS_NATS_CA, MCS_NATS_USER,
  MCS_NATS_PASSWORD, MCS_NATS_TOKEN, MCS_NATS_SIGNER, MCS_NATS_LISTEN, MCS_ALLOW_HOST, MCS_INSTANCE,
  MCS_MEMBER_TTL_MS, MCS_BUS_SILENCE_MS, MCS_LOG_LEVEL
`;

export const serve = defineCommand({
  usage: SERVE_USAGE,
  words: [],
  options: SERVE_OPTIONS,
  run: ({ values }) => serveWith(serveOptions(values, { port: 0 })),
});

async function serveWith(options: ServeOptions): Promise<number> {
  const log = openLog();
  return untilItEnds(log, async (fail) => {
    const serving = await startServing(options, log, fail);
    serving.service.ready.then((up) => up && printReady(serving), fail);
    return serving;
  });
}

/** Starts the bus if none is given, publishes the mission (or `published` in its place), and starts the roles. */
export async function startServing(
  options: ServeOptions,
  log: Log,
  escalated: (reason: unknown) => void,
  published?: Published,
): Promise<Serving> {
  // A large mission takes seconds, and a faulty one ends the start: the board waits for neither (board-guard.U1).
  const bench = options.roles.includes('bench') ? await guardedBench(options, log) : undefined;
  const ended = async (error: unknown): Promise<never> => {
    await bench?.guard?.stop();
    throw error;
  };
  const compiled = published ?? (await compiledMission(options).catch(ended));
  const replicas = compiled?.configuration.settings.replicas;
  const ground = await openGround(options, log, replicas).catch(ended);
  const { bus } = ground;
  const stateFolder = ground.state ?? options.state;
  try {
    const service = await startProcess({
      bus,
      pulse: ground.pulse,
      replication: bus.replication,
      roles: options.roles,
      clock: realClock,
      random: realRandom,
      log,
      port: options.port,
      host: options.host,
      allowHosts: options.allowHosts,
      escalated,
      ...(options.metricsPort !== undefined && { metricsPort: options.metricsPort }),
      ...(bench !== undefined && { bench }),
      ...(compiled !== undefined && { prepare: () => publishConfiguration(bus, compiled) }),
      ...(ground.signers !== undefined && { followerSigner: ground.signers.followers }),
      ...(ground.signers?.units !== undefined && { unitSigner: ground.signers.units }),
      ...(stateFolder !== undefined && { stateFolder: resolve(stateFolder) }),
      ...(options.mission !== undefined && { missionFolder: resolve(options.mission) }),
      ...(options.instance !== undefined && { instance: options.instance }),
      ...(process.env.MCS_ARCHIVE_OPEN_MS !== undefined && {
        archiveOpenMs: millisecondsOf('MCS_ARCHIVE_OPEN_MS', process.env.MCS_ARCHIVE_OPEN_MS),
      }),
      ...(process.env.MCS_FAILPOINT !== undefined && { failpoint: process.env.MCS_FAILPOINT }),
      memberTtlMs: options.memberTtlMs,
    });
    const stop = async (): Promise<void> => {
      await bench?.guard?.stop();
      await service.stop();
      await ground.close();
    };
    return {
      api: service.api,
      get bench() {
        return service.bench;
      },
      nats: ground.url,
      state: ground.state,
      service,
      stop,
    };
  } catch (error) {
    await bench?.guard?.stop();
    await ground.close();
    throw error;
  }
}

function millisecondsOf(variable: string, text: string): number {
  const ms = Number(text);
  if (Number.isInteger(ms) && ms >= 1) return ms;
  throw new Error(`${variable} takes whole milliseconds above zero, not ${JSON.stringify(text)}`);
}

function printReady({ api, bench, nats, service: { metrics } }: Serving): void {
  process.stdout.write(`${JSON.stringify({ ready: true, api, bench, nats, metrics })}\n`);
}

/** Undefined where no mission is given, and for a bench alone that needs none. */
async function compiledMission(options: ServeOptions) {
  const { mission, roles } = options;
  if (mission === undefined) return undefined;
  if (roles.every((role) => role === 'bench') && !(await asksWhoCalls(mission, options))) return undefined;
  return compiledOrThrow(mission);
}

/**
 * Whether a bench alone takes who may call from the folder: it can be reached from elsewhere, its bus is its own, so
 * that nobody else publishes a configuration there, and the folder has one.
 */
async function asksWhoCalls(folder: string, { host, nats }: ServeOptions): Promise<boolean> {
  return !isLoopback(host) && nats === undefined && (await hasMission(folder));
}

/** Looks after the board from here on: before the bus is reached, and also when it is not. */
async function guardedBench(options: ServeOptions, log: Log): Promise<BenchOptions> {
  const bench = await benchOrThrow(options);
  return { ...bench, guard: guardBoard(bench.documents.config, realClock, log) };
}

async function benchOrThrow({ mission, benchPort = 0 }: ServeOptions): Promise<BenchOptions> {
  if (mission === undefined) return { documents: NO_BENCH_DOCUMENTS, port: benchPort };
  const documents = await readBenchFolder(mission);
  if (documents.ok) return { documents: documents.value, port: benchPort };
  throw new Error(`the bench in ${mission} cannot be read:\n${documents.faults.join('\n')}`);
}

async function compiledOrThrow(folder: string) {
  const compiled = await compileFolder(folder);
  if (compiled.ok) return compiled.value;
  throw new Error(`the mission in ${folder} does not compile:\n${compiled.faults.map(faultLine).join('\n')}`);
}

interface Ground {
  readonly bus: NatsBus;
  /** A second connection to the same bus, for heartbeats alone. */
  readonly pulse: NatsBus;
  readonly url: string;
  readonly state: string | undefined;
  /** Of the account the service is in. */
  readonly signers: Signers | undefined;
  close(): Promise<void>;
}

async function openGround(options: ServeOptions, log: Log, replicas = 1): Promise<Ground> {
  const name = `mcs-${process.pid}`;
  if (options.nats !== undefined) {
    const signers = options.signer === undefined ? undefined : await readSigners(options.signer);
    const connections = connectTwice({
      url: options.nats,
      name,
      log,
      replicas,
      ...busAccess({ credentials: options.credentials, ca: options.natsCa }),
    });
    return { ...connections, url: withoutSecrets(options.nats), state: undefined, signers };
  }
  if (options.signer !== undefined)
    throw new WrongUsage('--signer needs --nats: the embedded bus has its own signing key');
  const state = options.state ?? (await temporaryState());
  const server: EmbeddedServer = await startEmbeddedServer({
    stateDir: state,
    silenceMs: options.busSilenceMs,
    log,
    ...options.natsListen,
  });
  const { close, ...buses } = connectTwice({
    url: server.url,
    name,
    log,
    replicas,
    credentials: server.credentials,
  });
  return {
    ...buses,
    url: server.url,
    state,
    signers: { followers: server.followerSigner, units: server.unitSigner },
    close: async () => {
      await close();
      await server.stop();
      if (options.state === undefined) await rm(state, { recursive: true, force: true });
    },
  };
}

async function temporaryState(): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), 'mcs-'));
  } catch (error) {
    const { code = 'unusable' } = error as NodeJS.ErrnoException;
    throw new Error(
      `the folder for temporary files, ${tmpdir()}, cannot be used (${code}): create it, set TMPDIR, or give --state`,
    );
  }
}

/** What says that the process lives never waits behind its work: it has a connection of its own. */
function connectTwice(options: BusOptions): Pick<Ground, 'bus' | 'pulse' | 'close'> {
  const bus = openBus(options);
  const pulse = openBus({ ...options, name: `${options.name}-pulse`, log: asides(options.log) });
  return { bus, pulse, close: async () => void (await Promise.all([bus.close(), pulse.close()])) };
}

/** What the second connection meets the first one has said. */
function asides(log: Log): Log {
  const debug: Log['debug'] = (fields, message) => log.debug(fields, message);
  return { debug, info: debug, warn: debug, error: debug, child: (fields) => asides(log.child(fields)) };
}
