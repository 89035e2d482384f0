/**
 * `mcs config check DIR` and `mcs config publish DIR`: compile a mission folder, say everything that is wrong with it,
 * and make it the configuration of a cell. Mission Control Service, sections 1.10 and 9.3. A configuration that does
 * not compile is never published.
 */

import { parseArgs } from 'node:util';
import { withoutSecrets } from '../bus/credentials.ts';
import { type NatsBus, openBus } from '../bus/nats-bus.ts';
import { Outage } from '../contract/outage.ts';
import type { Compiled } from '../mission/compile.ts';
import { load } from '../mission/load.ts';
import type { Target } from '../mission/mission.ts';
import type { Log } from '../ports/log.ts';
import { readBenchFolder } from '../supervision/bench/folder.ts';
import { realClock } from '../supervision/clock.ts';
import { publishConfiguration } from '../supervision/configuration.ts';
import { compileFolder, faultLine } from './mission-folder.ts';

const USAGE = `mcs config check DIR
mcs config publish DIR [--nats URL] [--credentials FILE]
`;

/** Where nats-server listens when nobody says otherwise. */
const DEFAULT_NATS = 'nats://127.0.0.1:4222';
/** A server that is up answers within a fraction of this; a person is waiting. */
const CONNECT_MS = 3_000;

/** Runs the command; 1 when the folder does not compile or the bus does not take it, 2 when the command is not one. */
export async function config([command, ...args]: string[]): Promise<number> {
  if (command === 'check') return configCheck(args);
  if (command === 'publish') return configPublish(args);
  process.stderr.write(USAGE);
  return 2;
}

/** Prints every fault of the folder, or its targets, warnings and revision. */
export async function configCheck(args: string[]): Promise<number> {
  const { positionals } = parseArgs({ args, allowPositionals: true, options: {} });
  const compiled = await compileAsked(positionals);
  const bench = await readBenchFolder(positionals[0]!);
  if (!bench.ok) for (const fault of bench.faults) process.stderr.write(`${fault}\n`);
  if (compiled === undefined || !bench.ok) return 1;
  const { targets } = load(compiled.configuration, compiled.revision);
  const lines = [...targets.values()].map(targetLine);
  const { profiles, scenarios, campaigns } = bench.value;
  if (profiles.size + scenarios.size + campaigns.size > 0)
    lines.push(`bench: ${profiles.size} profiles, ${scenarios.size} scenarios, ${campaigns.size} campaigns`);
  process.stdout.write([...lines, `revision ${compiled.revision}`, ''].join('\n'));
  return 0;
}

/** Publishes the configuration of the folder; says whether it was the current one already. */
export async function configPublish(args: string[]): Promise<number> {
  const options = { nats: { type: 'string' }, credentials: { type: 'string' } } as const;
  const { positionals, values } = parseArgs({ args, allowPositionals: true, options });
  const compiled = await compileAsked(positionals);
  if (compiled === undefined) return 1;
  const url = values.nats ?? process.env.MCS_NATS ?? DEFAULT_NATS;
  const path = values.credentials ?? process.env.MCS_NATS_CREDENTIALS;
  const credentials = path === undefined ? {} : { credentials: { kind: 'file', path } as const };
  const { replicas } = compiled.configuration.settings;
  const bus = openBus({ url, name: `mcs-config-${process.pid}`, log: SILENT, replicas, ...credentials });
  try {
    return await publish(bus, withoutSecrets(url), compiled);
  } finally {
    await bus.close();
  }
}

async function publish(bus: NatsBus, url: string, compiled: Compiled): Promise<number> {
  try {
    await connected(bus);
    const changed = await publishConfiguration(bus, compiled);
    process.stdout.write(`${changed ? 'published' : 'already current:'} revision ${compiled.revision}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof Outage)) throw error;
    process.stderr.write(
      `mcs: nothing published: no message bus at ${url}: ${error.message} (set its address with --nats)\n`,
    );
    return 1;
  }
}

/** Undefined when the folder does not compile; every fault and warning is printed. */
async function compileAsked(positionals: readonly string[]): Promise<Compiled | undefined> {
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0) throw new Error(`give one mission folder\n${USAGE}`);
  const compiled = await compileFolder(folder);
  if (compiled.ok) {
    for (const warning of compiled.value.warnings) process.stderr.write(`warning: ${faultLine(warning)}\n`);
    return compiled.value;
  }
  for (const fault of compiled.faults) process.stderr.write(`${faultLine(fault)}\n`);
  const count = compiled.faults.length;
  process.stderr.write(`${folder} does not compile: ${count} ${count === 1 ? 'fault' : 'faults'}\n`);
  return undefined;
}

function targetLine({ name, platformId, platform, environments, links }: Target): string {
  const what = platform === undefined ? `${platformId} (no document)` : platformId;
  return `target ${name}: ${what}, in ${environments.join(', ')}, links ${[...links.keys()].join(', ')}`;
}

/** Resolves when the bus is connected; rejects with an outage when it is not in time. */
function connected(bus: NatsBus): Promise<void> {
  if (bus.connected) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const settle = (outcome: () => void): void => {
      realClock.clearTimeout(timer);
      forget();
      outcome();
    };
    const late = (): Outage =>
      new Outage('bus.unavailable', bus.unreached ?? `no connection within ${CONNECT_MS / 1_000} s`);
    const timer = realClock.setTimeout(() => settle(() => reject(late())), CONNECT_MS);
    const forget = bus.onConnection((up) => up && settle(resolve));
  });
}

/** The command says itself what went wrong. */
const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => SILENT };
