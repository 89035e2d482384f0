/**
 * Identifiers of predicted passes: `sat1-kiruna-20240625T0110`, the target, the station and the time of culmination,
 * rounded to ten minutes of UTC.
 *
 * I1. The same pass predicted from newer elements nearly always has the same identifier: the culmination moves by
 *     seconds, and only one within those seconds of the middle between two marks changes over: one pass in a hundred
 *     when times move by six seconds. That one still overlaps the stored pass, by which the service knows it and keeps
 *     the identifier first stored.
 * I2. Not the revolution: sources count them differently, and over a station near the equator passes culminate where
 *     the count changes.
 * I3. Passes of one prediction have different identifiers. Where two culminate about the same mark, as an eccentric
 *     orbit can that dips below the mask for minutes, both are named more finely.
 */

export interface NamedPass {
  readonly target: string;
  readonly station: string;
  readonly culminationMs: number;
}

interface Grid {
  readonly stepMs: number;
  /** Digits of `20240625T011000.000` without its dot. */
  readonly characters: number;
}

const GRIDS: readonly Grid[] = [
  { stepMs: 600_000, characters: 13 },
  { stepMs: 60_000, characters: 13 },
  { stepMs: 1_000, characters: 15 },
  { stepMs: 1, characters: 18 },
];
/** What an identifier has beside the names of target and station: two dashes, and the finest time. */
export const ID_TIME_CHARACTERS = 2 + 18;

/** The identifier of each pass, in their order; the passes of one target and station culminate one after the other. */
export function passIds(passes: readonly NamedPass[]): readonly string[] {
  const ids = passes.map((pass) => idOn(pass, GRIDS[0]!));
  for (const grid of GRIDS.slice(1)) {
    const counts = new Map<string, number>();
    for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
    for (const [index, pass] of passes.entries())
      if (counts.get(ids[index]!)! > 1) ids[index] = idOn(pass, grid);
  }
  return ids;
}

function idOn({ target, station, culminationMs }: NamedPass, { stepMs, characters }: Grid): string {
  const time = new Date(Math.round(culminationMs / stepMs) * stepMs).toISOString();
  return `${target}-${station}-${time.replace(/[-:.Z]/g, '').slice(0, characters)}`;
}
