/**
 * How contributions become stored passes: which pass one belongs to, what the merged pass says, what a snapshot
 * changes. Mission Control Service, section 4.5 (upsert, merged pass, snapshot).
 *
 * M1. A contribution belongs to the stored pass with its identifier; else to the one with a contribution of its source
 *     under that identifier; else to the one over the same station whose window it overlaps longest, and of those that
 *     it overlaps as long to the earliest (MC-PASS-059). Else it is a new pass.
 * M2. A pass keeps the identifier it was first stored under.
 * M3. Window, elevation, station, status and uplink are the booking's; transceiver, protocol and rates are the
 *     booking's, else the prediction's; feeder and time are those of the last contribution.
 * M4. Two passes of one snapshot are two passes: what one of them belongs to is not taken for another, and identifiers
 *     count before windows for all of them. So a snapshot that is written again changes nothing.
 * M5. A snapshot writes its passes first, and then cancels the contribution of its source to every pass of the interval
 *     that none of them belongs to.
 */

import { utcText } from '../../contract/instant.ts';
import {
  type Contributions,
  PASS_SOURCES,
  type Pass,
  type PassContribution,
  type PassSnapshot,
  type PassSource,
  type StoredPass,
} from '../../contract/pass.ts';
import { overlapMs, windowOf } from './pass.ts';
import type { TargetPasses } from './target-passes.ts';

/** Who writes, and when. */
export interface Author {
  readonly feeder: string;
  /** ISO 8601 */
  readonly at: string;
}

/** Merges a submitted pass into those of its target, and gives back what is stored of it (M1, M2). */
export function upsert(passes: TargetPasses, submitted: Pass, author: Author): StoredPass {
  const contribution = contributionOf(submitted, author);
  return put(passes, contribution, matchOf(passes, contribution));
}

function put(
  passes: TargetPasses,
  contribution: PassContribution,
  match: StoredPass | undefined,
): StoredPass {
  const contributions = { ...match?.contributions, [contribution.source]: contribution };
  const stored = merged(match?.id ?? contribution.id, contributions);
  passes.set(stored);
  return stored;
}

export interface Replaced {
  /** Stored identifiers, in the order of the snapshot, each once. */
  readonly upserted: readonly string[];
  readonly cancelled: readonly string[];
}

/**
 * One pass of two copies of it: what each source said last counts, of contributions of one moment that of `one` (M3).
 * Where no source has said anything, which others may write, it is `one`.
 */
export function newestOf(one: StoredPass, other: StoredPass): StoredPass {
  const newer = (source: PassSource): PassContribution | undefined => {
    const [own, its] = [one.contributions[source], other.contributions[source]];
    if (own === undefined || its === undefined) return own ?? its;
    return (its.updated_at ?? '') > (own.updated_at ?? '') ? its : own;
  };
  const [fds, provider] = PASS_SOURCES.map(newer);
  if (fds === undefined && provider === undefined) return one;
  return merged(one.id, { ...(fds !== undefined && { fds }), ...(provider !== undefined && { provider }) });
}

/** M5 */
export function replaceWindow(passes: TargetPasses, snapshot: PassSnapshot, author: Author): Replaced {
  const upserted = new Set(upsertAll(passes, snapshot, author));
  const interval = windowOf({ aos: snapshot.from, los: snapshot.to });
  const cancelled: string[] = [];
  for (const pass of [...passes]) {
    const contribution = pass.contributions[snapshot.source];
    const isAbsent =
      contribution !== undefined &&
      contribution.status !== 'cancelled' &&
      !upserted.has(pass.id) &&
      overlapMs(windowOf(contribution), interval) > 0;
    if (!isAbsent) continue;
    const over = { ...contribution, status: 'cancelled' as const, ...stampOf(author) };
    passes.set(merged(pass.id, { ...pass.contributions, [snapshot.source]: over }));
    cancelled.push(pass.id);
  }
  return { upserted: [...upserted], cancelled };
}

/** M4: the stored identifiers, in the order of the snapshot. */
function upsertAll(passes: TargetPasses, snapshot: PassSnapshot, author: Author): string[] {
  const contributions = snapshot.passes.map((pass) => contributionOf(pass, author));
  const found: (string | undefined)[] = contributions.map(({ id }) => passes.get(id)?.id);
  const taken = new Set(found.filter((id) => id !== undefined));
  const look = (matchOf: (contribution: PassContribution) => StoredPass | undefined): void => {
    for (const [index, contribution] of contributions.entries()) {
      const id = found[index] === undefined ? matchOf(contribution)?.id : undefined;
      if (id === undefined || taken.has(id)) continue;
      found[index] = id;
      taken.add(id);
    }
  };
  look(({ source, id }) => passes.contributed(source, id));
  look(({ station, ...window }) => passes.overlapping(station, windowOf(window), taken));
  return contributions.map((contribution, index) => {
    const id = found[index];
    return put(passes, contribution, id === undefined ? undefined : passes.get(id)).id;
  });
}

/** M1 */
function matchOf(passes: TargetPasses, submitted: PassContribution): StoredPass | undefined {
  return (
    passes.get(submitted.id) ??
    passes.contributed(submitted.source, submitted.id) ??
    passes.overlapping(submitted.station, windowOf(submitted))
  );
}

/** What a source says of a pass, in UTC (instant.I3), without what the service sets but who wrote it and when. */
function contributionOf(submitted: Pass, author: Author): PassContribution {
  const { contributions: _, feeder: __, updated_at: ___, uplink = true, ...said } = submitted;
  return { ...said, aos: utcText(said.aos), los: utcText(said.los), uplink, ...stampOf(author) };
}

function stampOf({ feeder, at }: Author): { feeder: string; updated_at: string } {
  return { feeder, updated_at: at };
}

/** M2, M3. Fields in the order of the specification, so that equal passes are equal bytes. */
function merged(id: string, contributions: Contributions): StoredPass {
  const { fds, provider } = contributions;
  const leading = (provider ?? fds)!;
  const last = latest(fds, provider);
  const transceiver = leading.transceiver ?? fds?.transceiver;
  const protocol = leading.protocol ?? fds?.protocol;
  const rates = leading.rates ?? fds?.rates;
  return {
    id,
    target: leading.target,
    station: leading.station,
    aos: leading.aos,
    los: leading.los,
    max_elevation: leading.max_elevation,
    source: leading.source,
    status: leading.status,
    uplink: leading.uplink ?? true,
    ...(transceiver !== undefined && { transceiver }),
    ...(protocol !== undefined && { protocol }),
    ...(rates !== undefined && { rates }),
    ...(last.feeder !== undefined && { feeder: last.feeder }),
    ...(last.updated_at !== undefined && { updated_at: last.updated_at }),
    contributions: { ...(fds !== undefined && { fds }), ...(provider !== undefined && { provider }) },
  };
}

/** The one written last; the booking of two written at once. */
function latest(fds: PassContribution | undefined, provider: PassContribution | undefined): PassContribution {
  if (fds === undefined || provider === undefined) return (fds ?? provider)!;
  return (fds.updated_at ?? '') > (provider.updated_at ?? '') ? fds : provider;
}
