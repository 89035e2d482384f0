/** How much of each part of a file is there. Pure. */

/** More an eye does not tell apart. */
const STEPS = 16;

/** What is drawn of a record. */
export interface Ranges {
  readonly size: number;
  readonly received: readonly (readonly [number, number])[];
}

/** The ranges of a record as it is shown; undefined where it is of another kind, or has been cut to be shown. */
export function rangesIn(context: unknown): Ranges | undefined {
  const { record } = (context ?? {}) as { record?: unknown };
  const { size, received = [] } = (record ?? {}) as { size?: unknown; received?: unknown };
  if (typeof size !== 'number' || size <= 0 || !Array.isArray(received)) return undefined;
  const isWhole = received.every((each) => Array.isArray(each) && each.every(Number.isFinite));
  return isWhole ? { size, received: received as [number, number][] } : undefined;
}

/** How much of each part of a file is there, from 0 to 1. */
export function shares({ size, received }: Ranges, cells: number): number[] {
  const there = new Array<number>(cells).fill(0);
  const width = size / cells;
  for (const [start, end] of received) {
    const last = Math.min(cells, Math.ceil(end / width)) - 1;
    for (let cell = Math.floor(start / width); cell <= last; cell += 1) {
      const overlap = Math.min(end, (cell + 1) * width) - Math.max(start, cell * width);
      there[cell]! += Math.max(0, overlap) / width;
    }
  }
  return there.map(stepOf);
}

/** `82,560 of 183,500 B · 44 % · 2 gaps` */
export function inWords({ size, received }: Ranges): string {
  const bytes = received.reduce((sum, [start, end]) => sum + end - start, 0);
  const edges = [received[0]?.[0] !== 0, received.at(-1)?.[1] !== size].filter(Boolean).length;
  const gaps = received.length === 0 ? 1 : received.length - 1 + edges;
  const words = gaps === 0 ? 'no gap' : gaps === 1 ? '1 gap' : `${gaps} gaps`;
  const percent = Math.floor((bytes * 100) / size);
  return `${bytes.toLocaleString('en')} of ${size.toLocaleString('en')} B · ${percent} % · ${words}`;
}

/**
 * `9.6 kbit/s (gateway) · at least 2:05 left · ends before LOS 12:10:00 UTC`: how fast a transfer may go now; empty
 * where nobody knows, or nothing of it may be asked.
 */
export function paceInWords(context: unknown): string {
  const { pace } = (context ?? {}) as { pace?: unknown };
  const { rate, source, lasts_s, los, ends_before_los } = (pace ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof rate !== 'number' || typeof lasts_s !== 'number') return '';
  const words = [`${rateText(rate)} (${String(source)})`, `at least ${timeText(lasts_s)} left`];
  if (typeof los === 'string')
    words.push(`ends ${ends_before_los === true ? 'before' : 'after'} LOS ${los.slice(11, 19)} UTC`);
  return words.join(' · ');
}

function rateText(rate: number): string {
  const [value, unit] =
    rate >= 1e6 ? [rate / 1e6, 'Mbit/s'] : rate >= 1e3 ? [rate / 1e3, 'kbit/s'] : [rate, 'bit/s'];
  return `${Number(value.toPrecision(3))} ${unit}`;
}

/** `2:05`, `1:02:05` */
function timeText(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const two = (value: number): string => String(value).padStart(2, '0');
  const rest = two(Math.floor(seconds % 60));
  return hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
}

/** Neighbouring parts that are alike as one: where it begins, how many, and how much of them is there; empty ones left out. */
export function stretches(
  there: readonly number[],
): { readonly x: number; readonly width: number; readonly share: number }[] {
  const found: { x: number; width: number; share: number }[] = [];
  for (let first = 0; first < there.length; ) {
    let end = first + 1;
    while (end < there.length && there[end] === there[first]) end += 1;
    const share = there[first]!;
    if (share > 0) found.push({ x: first, width: end - first, share });
    first = end;
  }
  return found;
}

/** Of a stretch, so that a little of a part is still seen. */
export function opacityOf(share: number): number {
  return Math.max(0.25, share);
}

/** In sixteen steps; only what is there whole is 1. */
function stepOf(share: number): number {
  return Math.min(STEPS, Math.floor(share * STEPS + 1e-6)) / STEPS || (share > 0 ? 1 / STEPS : 0);
}
