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

/** In sixteen steps; only what is there whole is 1. */
function stepOf(share: number): number {
  return Math.min(STEPS, Math.floor(share * STEPS + 1e-6)) / STEPS || (share > 0 ? 1 / STEPS : 0);
}
