/**
 * What does not fit together on a bus, and what of it can be corrected without a guess. Decision 53.
 *
 * B1. A bus in use changes while it is read: what is found counts only when it is found again, the same, a moment
 *     later.
 * B2. It makes and changes nothing unless it is to repair; and then each correction is a conditional write on what was
 *     found, so that whoever has written meanwhile wins.
 * B3. Of a bucket one entry at a time is in memory, and of findings no more of each kind than `BUS_CHECK_FINDINGS`: the
 *     rest is counted.
 */

import type { Compared } from '../../bus/asset.ts';
import type { NatsBus } from '../../bus/nats-bus.ts';
import { BUS_CHECK_AGAIN_MS, BUS_CHECK_FINDINGS } from '../../contract/limits/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import { alarms } from './alarms.ts';
import { claims } from './claims.ts';
import { contents } from './contents.ts';
import { counters } from './counters.ts';
import { envelopes } from './envelopes.ts';
import type { CheckName, Finding, Look } from './finding.ts';
import { holds } from './holds.ts';
import { modes } from './modes.ts';
import { marks, values } from './positions.ts';
import { listedRuns, openRuns } from './runs.ts';
import { schedules } from './schedules.ts';
import { lostOf, streamFindings } from './streams.ts';
import { parts, transferIndex, transfers } from './transfers.ts';

const LOOKS: readonly Look[] = [
  marks,
  values,
  claims,
  holds,
  modes,
  openRuns,
  listedRuns,
  envelopes,
  alarms,
  transfers,
  transferIndex,
  parts,
  contents,
  schedules,
  counters,
];

export interface BusCheck {
  /** By check and place. */
  readonly findings: readonly Finding[];
  /** How many more there are of each kind than are listed. */
  readonly more: Readonly<Partial<Record<CheckName, number>>>;
  /** Checks that could not be made, since a stream is missing. */
  readonly skipped: readonly CheckName[];
}

interface CheckTools {
  /** Opened with `looksOnly`. */
  readonly bus: NatsBus;
  readonly clock: Clock;
  /** Makes and updates every stream of the contract; false where it could not. */
  readonly bringUp: () => Promise<boolean>;
}

/** Rejects with an outage. */
export async function checkBus({ bus, clock, bringUp }: CheckTools): Promise<BusCheck> {
  const compared = await bus.inventory.compare();
  const there = new Set(
    compared.filter(({ standing }) => standing !== undefined).map(({ stream }) => stream),
  );
  const possible = LOOKS.filter(({ needs }) => needs.every((name) => there.has(name)));
  const skipped = LOOKS.filter((look) => !possible.includes(look)).flatMap(({ checks }) => checks);
  const first = await lookWith(possible, bus);
  const again = possible.filter((look) => first.of.has(look));
  if (again.length > 0) await new Promise<void>((resolve) => clock.setTimeout(resolve, BUS_CHECK_AGAIN_MS));
  const second = await lookWith(again, bus);
  const known = new Set(first.findings.map(nameOf));
  const found = second.findings.filter((finding) => known.has(nameOf(finding)));
  return {
    findings: sorted([...streamFindings(await stillSo(compared, bus), bringUp), ...found]),
    more: second.more,
    skipped: [...new Set(skipped)].sort(),
  };
}

/** B1 */
async function stillSo(compared: readonly Compared[], bus: NatsBus): Promise<readonly Compared[]> {
  const isWrong = (each: Compared): boolean =>
    each.standing === undefined || each.differs.length > 0 || lostOf(each) > 0;
  const wrong = new Set(compared.filter(isWrong).map(({ stream }) => stream));
  if (wrong.size === 0) return [];
  return (await bus.inventory.compare()).filter(({ stream }) => wrong.has(stream));
}

interface Looked {
  readonly findings: readonly Finding[];
  /** Looks that found something. */
  readonly of: ReadonlySet<Look>;
  readonly more: BusCheck['more'];
}

async function lookWith(looks: readonly Look[], bus: NatsBus): Promise<Looked> {
  const findings: Finding[] = [];
  const of = new Set<Look>();
  const counts = new Map<CheckName, number>();
  for (const look of looks) {
    const found = (finding: Finding): void => {
      of.add(look);
      const count = (counts.get(finding.check) ?? 0) + 1;
      counts.set(finding.check, count);
      if (count <= BUS_CHECK_FINDINGS) findings.push(finding);
    };
    await look.look({ bus, found, end: (stream) => endOf(bus, stream) });
  }
  const more = [...counts].flatMap(([check, count]): [CheckName, number][] =>
    count > BUS_CHECK_FINDINGS ? [[check, count - BUS_CHECK_FINDINGS]] : [],
  );
  return { findings, of, more: Object.fromEntries(more) };
}

async function endOf({ levels }: NatsBus, stream: string): Promise<number> {
  return (await levels.stream(stream))?.lastSeq ?? 0;
}

/** Figures may move on meanwhile. */
function nameOf({ check, where, about = '' }: Finding): string {
  return `${check} ${where} ${about}`;
}

function sorted(findings: readonly Finding[]): readonly Finding[] {
  return [...findings].sort((a, b) => compare(a.check, b.check) || compare(a.where, b.where));
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
