/**
 * `mcs bus check`: what does not fit together on a bus, and what of it can be corrected without a guess. It asks no
 * service. Exit code: 0 when everything fits, or does so now; 1 when something does not; 3 when the bus could not be
 * read; 2 when the command line is none.
 */

import { Outage } from '../contract/outage.ts';
import { type BusCheck, checkBus } from '../supervision/bus-check/check.ts';
import { CHECKS, type Finding } from '../supervision/bus-check/finding.ts';
import { installedOn } from '../supervision/bus-check/installed.ts';
import { realClock } from '../supervision/clock.ts';
import { BUS_OPTIONS, type BusValues, connected, openAsked } from './bus-connection.ts';
import { defineCommand } from './command.ts';
import { printJson } from './print-json.ts';
import { printable } from './printable.ts';

const CHECK_USAGE = `mcs bus check [--repair] [--json] [--nats URL] [--credentials FILE] [--nats-ca FILE]
  what does not fit together on a bus: streams, positions, claims, holds, logs, files; also while it is in use
  --repair   corrects what can be corrected without a guess, and says what was done
  (default $MCS_NATS, or nats://127.0.0.1:4222; $MCS_NATS_CREDENTIALS, $MCS_NATS_CA)
  exit code 0: everything fits, 1: something does not, 3: the bus could not be read
`;

type Outcome = 'repaired' | 'changed meanwhile' | 'open';

const UNREAD = 3;
const OPTIONS = { ...BUS_OPTIONS, json: { type: 'boolean' }, repair: { type: 'boolean' } } as const;

export const check = defineCommand({
  usage: CHECK_USAGE,
  words: [],
  options: OPTIONS,
  run: async ({ values }) => {
    const { url, bus } = openAsked(values, { name: `mcs-bus-check-${process.pid}`, looksOnly: true });
    try {
      await connected(bus);
      const installation = await installedOn(bus, realClock, SAYS_NOTHING);
      if (installation !== undefined) bus.replication.install(installation);
      const checked = await checkBus({ bus, clock: realClock, bringUp: once(() => bringUp(values)) });
      const outcomes = values.repair === true ? await repairAll(checked.findings) : new Map();
      return print(checked, outcomes, values.json);
    } catch (error) {
      if (!(error instanceof Outage)) throw error;
      process.stderr.write(
        `mcs: the bus at ${url} was not read: ${error.message} (set its address with --nats)\n`,
      );
      return UNREAD;
    } finally {
      await bus.close();
    }
  },
});

const SAYS_NOTHING = { debug() {}, info() {}, warn() {}, error() {}, child: () => SAYS_NOTHING };

/** All streams are made and updated together. */
function once(step: () => Promise<boolean>): () => Promise<boolean> {
  let done: Promise<boolean> | undefined;
  return () => {
    done ??= step();
    return done;
  };
}

async function bringUp(values: BusValues): Promise<boolean> {
  const { bus } = openAsked(values, { name: `mcs-bus-repair-${process.pid}` });
  try {
    await connected(bus);
    await bus.ensureAssets();
    const installation = await installedOn(bus, realClock, SAYS_NOTHING);
    if (installation !== undefined) {
      bus.replication.install(installation);
      await bus.ensureAssets();
    }
    return true;
  } finally {
    await bus.close();
  }
}

async function repairAll(findings: readonly Finding[]): Promise<Map<Finding, Outcome>> {
  const outcomes = new Map<Finding, Outcome>();
  for (const finding of findings) {
    if (finding.repair === undefined) continue;
    outcomes.set(finding, (await finding.repair()) ? 'repaired' : 'changed meanwhile');
  }
  return outcomes;
}

function print(checked: BusCheck, outcomes: ReadonlyMap<Finding, Outcome>, json = false): number {
  const { findings, more, skipped } = checked;
  const rows = findings.map((finding) => ({ finding, outcome: outcomes.get(finding) ?? ('open' as const) }));
  const fits =
    rows.every(({ finding, outcome }) => outcome === 'repaired' || isNoFault(finding)) &&
    Object.keys(more).length === 0;
  if (json) {
    const listed = rows.map(({ finding: { repair, about: _, ...shown }, outcome }) => ({
      ...shown,
      repairable: repair !== undefined,
      outcome,
    }));
    printJson({ fits, findings: listed, more, skipped });
  } else {
    process.stdout.write([...rows.flatMap(linesOf), ...notes(checked), ''].join('\n'));
  }
  return fits ? 0 : 1;
}

/** Each process makes a stream when it first needs it. */
function isNoFault({ check: name }: Finding): boolean {
  return name === 'stream-missing';
}

function linesOf({ finding, outcome }: { finding: Finding; outcome: Outcome }): string[] {
  const { check: name, where, what, remedy, repair } = finding;
  const advice = outcome === 'repaired' ? 'repaired' : repair === undefined ? remedy : `--repair: ${remedy}`;
  const line = outcome === 'changed meanwhile' ? 'changed meanwhile: check again' : advice;
  return [`${name}  ${where}`, `  ${what}`, `  ${line}`].map(plain);
}

function notes({ findings, more, skipped }: BusCheck): string[] {
  const counted = Object.entries(more).map(([name, count]) => `${name}: ${count} more`);
  const unmade = skipped.map((name) => `not checked, since a stream is missing: ${CHECKS[name]}`);
  const all = findings.length === 0 ? 'everything fits together' : `${findings.length} found`;
  return [...counted, ...unmade, all];
}

/** Names come from clients: no control character of them reaches the terminal. */
function plain(line: string): string {
  return printable(line);
}
