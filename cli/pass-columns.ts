/**
 * Stored passes as columns: what a list and a live table show of a pass. Pure but for the zone, as `pass-look.ts`.
 * Mission Control Service, sections 2.6 and 4.5.
 *
 * C1. Nothing is said by colour alone: a booked, a predicted and a cancelled pass have different words, and so have one
 *     under way, one without uplink and one that no gateway serves.
 * C2. A cancelled pass has no countdown.
 * C3. On a narrow terminal columns are left out whole, in the order of `SPARED`, and the caller can name them; station,
 *     status, uplink and gateway never are.
 */

import { readInstant } from '../contract/instant.ts';
import type { Pass, PassGateway, PassView } from '../contract/pass.ts';
import { readQuantity } from '../mission/quantity.ts';
import { dayAndTime, dressed, lasting, type PassLook, type Tone } from './pass-look.ts';

export interface PassRow {
  readonly view: PassView;
  readonly aosMs: number;
  readonly losMs: number;
}

type Column =
  | 'NEXT'
  | 'DAY'
  | 'AOS'
  | 'LOS'
  | 'LASTS'
  | 'TARGET'
  | 'STATION'
  | 'MAX'
  | 'STATUS'
  | 'UPLINK'
  | Late;
type Late = 'PASS' | 'GATEWAY';

const LISTED = [
  'DAY',
  'AOS',
  'LOS',
  'LASTS',
  'TARGET',
  'STATION',
  'MAX',
  'STATUS',
  'UPLINK',
  'PASS',
  'GATEWAY',
] as const;
const LIVE = ['NEXT', ...LISTED] as const;
/** C3 */
const SPARED: readonly Column[] = ['PASS', 'LASTS', 'LOS', 'MAX', 'DAY', 'AOS'];
/** Numbers stand below each other at their ends. */
const RIGHT: ReadonlySet<Column> = new Set(['NEXT', 'LASTS', 'MAX']);
/** `AOS in 23:59:59`, so that the columns behind stay where they are. */
const NEXT_CHARACTERS = 15;
/** What the last column, which may be cut, has room for before others are left out. */
const GATEWAY_CHARACTERS = 12;
const GAP = '  ';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const S_MS = 1_000;

export function passRow(view: PassView): PassRow {
  const { aos, los } = view.pass;
  return { view, aosMs: readInstant(aos) ?? Number.NaN, losMs: readInstant(los) ?? Number.NaN };
}

/** Columns as wide as what was added needs. */
export class PassColumns {
  readonly #columns: readonly Column[];
  readonly #local: boolean;
  readonly #widths = new Map<Column, number>();

  /** With a countdown where it is `live`. */
  constructor({ live, local }: { readonly live: boolean; readonly local: boolean }) {
    this.#columns = live ? LIVE : LISTED;
    this.#local = local;
    for (const column of this.#columns) this.#widths.set(column, column.length);
    if (live) this.#widths.set('NEXT', NEXT_CHARACTERS);
  }

  add(row: PassRow): void {
    for (const column of this.#columns) {
      if (column === 'NEXT') continue;
      const wide = cellOf(column, row, { local: this.#local, now: 0 }).length;
      if (wide > this.#widths.get(column)!) this.#widths.set(column, wide);
    }
  }

  heading(look: Omit<PassLook, 'local'>): string {
    return dressed(
      this.#line((column) => column, look.width),
      'dim',
      look,
    );
  }

  line(row: PassRow, now: number, look: Omit<PassLook, 'local'>): string {
    const text = this.#line((column) => cellOf(column, row, { local: this.#local, now }), look.width);
    return dressed(text, toneOf(row, now), look);
  }

  /** C3: the names of those for which the terminal is too narrow. */
  leftOut(width: number | undefined): string[] {
    const shown = this.#shown(width);
    return this.#columns.filter((column) => !shown.includes(column));
  }

  #line(cell: (column: Column) => string, width: number | undefined): string {
    const cells = this.#shown(width).map((column) => {
      const wide = this.#widths.get(column)!;
      return RIGHT.has(column) ? cell(column).padStart(wide) : cell(column).padEnd(wide);
    });
    return cells.join(GAP).trimEnd();
  }

  #shown(width: number | undefined): readonly Column[] {
    let shown = this.#columns;
    for (const spared of SPARED) {
      if (width === undefined || this.#needed(shown) <= width) break;
      // A list without a time says nothing.
      const isTime = spared === 'DAY' || spared === 'AOS';
      if (!isTime || shown.includes('NEXT')) shown = shown.filter((column) => column !== spared);
    }
    return shown;
  }

  #needed(columns: readonly Column[]): number {
    const widths = columns.map((column) => {
      const wide = this.#widths.get(column)!;
      return column === 'GATEWAY' ? Math.min(wide, GATEWAY_CHARACTERS) : wide;
    });
    return widths.reduce((sum, wide) => sum + wide + GAP.length, -GAP.length);
  }
}

/** A pass as one line of its own, for a reader that is no terminal. */
export function passLine(row: PassRow, local: boolean): string {
  const words: Column[] = [
    'DAY',
    'AOS',
    'LOS',
    'LASTS',
    'TARGET',
    'STATION',
    'MAX',
    'STATUS',
    'UPLINK',
    'GATEWAY',
    'PASS',
  ];
  return words.map((column) => cellOf(column, row, { local, now: 0 })).join(GAP);
}

/** `AOS in 12:34`, while it is under way `LOS in 4:12`; C2. */
export function countdown({ view, aosMs, losMs }: PassRow, now: number): string {
  if (view.pass.status === 'cancelled') return '-';
  if (now >= losMs) return 'over';
  const [event, atMs] = now < aosMs ? ['AOS', aosMs] : ['LOS', losMs];
  const leftMs = Math.ceil((atMs - now) / S_MS) * S_MS;
  if (leftMs < DAY_MS) return `${event} in ${lasting(leftMs)}`;
  return `${event} in ${Math.floor(leftMs / DAY_MS)}d ${Math.floor((leftMs % DAY_MS) / HOUR_MS)}h`;
}

/** The gateway, or why there is none; `-` while it is not checked. */
export function gatewayText(check: PassGateway | undefined): string {
  if (check === undefined) return '-';
  return check.gateway ?? `NONE: ${check.reason ?? 'no reason is recorded'}`;
}

/** `47.3°`, in whatever unit of angles it was written. */
export function elevationText({ max_elevation }: Pick<Pass, 'max_elevation'>): string {
  const read = readQuantity(max_elevation, 'deg');
  return read.ok ? `${read.value.toFixed(1)}°` : max_elevation;
}

/** In capitals what must not be taken for a pass that takes place. */
export function statusText({ status }: Pick<Pass, 'status'>): string {
  return status === 'cancelled' ? 'CANCELLED' : status;
}

function cellOf(
  column: Column,
  row: PassRow,
  { local, now }: { readonly local: boolean; readonly now: number },
): string {
  const { view, aosMs, losMs } = row;
  switch (column) {
    case 'NEXT':
      return countdown(row, now);
    case 'DAY':
      return dayAndTime(aosMs, local)[0];
    case 'AOS':
      return dayAndTime(aosMs, local)[1];
    case 'LOS':
      return dayAndTime(losMs, local)[1];
    case 'LASTS':
      return lasting(losMs - aosMs);
    case 'TARGET':
      return view.pass.target;
    case 'STATION':
      return view.pass.station;
    case 'MAX':
      return elevationText(view.pass);
    case 'STATUS':
      return statusText(view.pass);
    case 'UPLINK':
      return view.pass.uplink === false ? 'RX only' : 'uplink';
    case 'PASS':
      return view.pass.id;
    case 'GATEWAY':
      return gatewayText(view.gateway);
  }
}

function toneOf({ view, aosMs, losMs }: PassRow, now: number): Tone | undefined {
  if (view.pass.status === 'cancelled' || losMs < now) return 'dim';
  if (view.gateway !== undefined && view.gateway.gateway === undefined) return 'red';
  return aosMs <= now ? 'bright' : undefined;
}
