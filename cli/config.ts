/**
 * `mcs config check DIR` and `mcs config publish DIR`: compile a mission folder, say everything that is wrong with it,
 * and make it the configuration of a cell. Mission Control Service, sections 1.10 and 9.3. A configuration that does
 * not compile is never published.
 */

import type { NatsBus } from '../bus/nats-bus.ts';
import { Outage } from '../contract/outage.ts';
import { TooLarge } from '../contract/too-large.ts';
import type { Compiled } from '../mission/compile.ts';
import { load } from '../mission/load.ts';
import type { Target } from '../mission/mission.ts';
import { readBenchFolder } from '../supervision/bench/folder.ts';
import { publishConfiguration } from '../supervision/configuration.ts';
import { BUS_OPTIONS, type BusValues, connected, openAsked } from './bus-connection.ts';
import { defineCommand, defineVerbs } from './command.ts';
import { compileFolder, faultLine } from './mission-folder.ts';

const CHECK_USAGE = `mcs config check DIR
  every error of a mission folder
`;

const PUBLISH_USAGE = `mcs config publish DIR [--nats URL] [--credentials FILE] [--nats-ca FILE]
  makes it the configuration of the cell on that bus
  (default $MCS_NATS, or nats://127.0.0.1:4222; $MCS_NATS_CREDENTIALS, $MCS_NATS_CA)
`;

const check = defineCommand({
  usage: CHECK_USAGE,
  words: ['DIR'],
  options: {},
  run: ({ words: [folder] }) => checkFolder(folder),
});

const publish = defineCommand({
  usage: PUBLISH_USAGE,
  words: ['DIR'],
  options: BUS_OPTIONS,
  run: ({ words: [folder], values }) => publishFolder(folder, values),
});

export const config = defineVerbs('config', { check, publish });

/** Prints every fault of the folder, or its targets, warnings and revision. */
async function checkFolder(folder: string): Promise<number> {
  const compiled = await compileAsked(folder);
  const bench = await readBenchFolder(folder);
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
async function publishFolder(folder: string, values: BusValues): Promise<number> {
  const compiled = await compileAsked(folder);
  if (compiled === undefined) return 1;
  const { replicas } = compiled.configuration.settings;
  const { url, bus } = openAsked(values, { name: `mcs-config-${process.pid}`, replicas });
  try {
    return await publishOver(bus, url, compiled);
  } finally {
    await bus.close();
  }
}

async function publishOver(bus: NatsBus, url: string, compiled: Compiled): Promise<number> {
  try {
    await connected(bus);
    const changed = await publishConfiguration(bus, compiled);
    process.stdout.write(`${changed ? 'published' : 'already current:'} revision ${compiled.revision}\n`);
    return 0;
  } catch (error) {
    if (error instanceof TooLarge) {
      process.stderr.write(`mcs: nothing published: ${error.message}. ${error.remedy}\n`);
      return 1;
    }
    if (!(error instanceof Outage)) throw error;
    process.stderr.write(
      `mcs: nothing published: no message bus at ${url}: ${error.message} (set its address with --nats)\n`,
    );
    return 1;
  }
}

/** Undefined when the folder does not compile; every fault and warning is printed. */
async function compileAsked(folder: string): Promise<Compiled | undefined> {
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
