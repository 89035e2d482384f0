/**
 * What a place of a pattern accepts, as deterministic automata over UTF-16 code units: small enough to be compared with
 * each other while documents are compiled, and read in one pass.
 *
 * A1. No automaton accepts the empty text.
 */

export const DEAD = -1;

export interface Automaton {
  readonly start: number;
  /** The state after a code unit, or DEAD. */
  step(state: number, code: number): number;
  accepts(state: number): boolean;
  /** Code units it treats apart from all others. */
  readonly alphabet: readonly number[];
}

const codes = (text: string): number[] => [...text].map((each) => each.charCodeAt(0));
const SPACE = 0x20;
const TAB = 0x09;
const BLANKS = [SPACE, TAB];
const DIGITS = codes('0123456789');
const HEX_DIGITS = codes('0123456789abcdefABCDEF');
const SIGNS = codes('+-');
const POINT = codes('.');
const EXPONENT = codes('eE');

export function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

/** Moves of an automaton by class of code unit: `[from, class, to]`. */
type Move = readonly [from: number, over: readonly number[], to: number];

function table(moves: readonly Move[], accepting: readonly number[]): Automaton {
  const rows = new Map<number, Map<number, number>>();
  for (const [from, over, to] of moves) {
    const row = rows.get(from) ?? new Map<number, number>();
    for (const code of over) row.set(code, to);
    rows.set(from, row);
  }
  return Object.freeze({
    start: 0,
    step: (state: number, code: number) => rows.get(state)?.get(code) ?? DEAD,
    accepts: (state: number) => accepting.includes(state),
    alphabet: [...new Set(moves.flatMap(([, over]) => over))],
  });
}

const SIGNED: readonly Move[] = [
  [0, SIGNS, 1],
  [0, DIGITS, 2],
  [1, DIGITS, 2],
  [2, DIGITS, 2],
];
const FRACTION: readonly Move[] = [
  [0, POINT, 3],
  [1, POINT, 3],
  [2, POINT, 3],
  [3, DIGITS, 4],
  [4, DIGITS, 4],
];
const POWER: readonly Move[] = [
  [2, EXPONENT, 5],
  [4, EXPONENT, 5],
  [5, SIGNS, 6],
  [5, DIGITS, 7],
  [6, DIGITS, 7],
  [7, DIGITS, 7],
];

/** `-12` */
export const integer: Automaton = table(SIGNED, [2]);
/** `-12`, `0.5`, `.5` */
export const decimal: Automaton = table([...SIGNED, ...FRACTION], [2, 4]);
/** The same with a power of ten: `1.5e-3` */
export const number: Automaton = table([...SIGNED, ...FRACTION, ...POWER], [2, 4, 7]);
/** `00ff` */
export const hex: Automaton = table(
  [
    [0, HEX_DIGITS, 1],
    [1, HEX_DIGITS, 1],
  ],
  [1],
);
/** One blank or more: columns are padded. */
export const blanks: Automaton = table(
  [
    [0, BLANKS, 1],
    [1, BLANKS, 1],
  ],
  [1],
);

/** Exactly this text. */
export function literal(text: string): Automaton {
  return alternatives([text]);
}

/** One of these texts. */
export function alternatives(texts: readonly string[]): Automaton {
  const moves: Move[] = [];
  const ends: number[] = [];
  const states = new Map<string, number>([['', 0]]);
  for (const text of texts) {
    for (let length = 1; length <= text.length; length += 1) {
      const prefix = text.slice(0, length);
      if (states.has(prefix)) continue;
      const from = states.get(text.slice(0, length - 1)) ?? 0;
      states.set(prefix, states.size);
      moves.push([from, [text.charCodeAt(length - 1)], states.size - 1]);
    }
    ends.push(states.get(text) ?? 0);
  }
  return table(moves, ends);
}

/** Code units without blanks, up to `stop`. */
export function word(stop: number | undefined): Automaton {
  return free(stop, false);
}

/** Code units up to `stop`, blanks as well but for the first. */
export function text(stop: number | undefined): Automaton {
  return free(stop, true);
}

function free(stop: number | undefined, blanksInside: boolean): Automaton {
  return Object.freeze({
    start: 0,
    step: (state: number, code: number) => {
      if (code === stop || (isBlank(code) && (state === 0 || !blanksInside))) return DEAD;
      return 1;
    },
    accepts: (state: number) => state === 1,
    alphabet: stop === undefined ? BLANKS : [...BLANKS, stop],
  });
}

const ANY = codes('xyzabcdefghijklmnopqrstuvwABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_#~');
/** Past everything a document of this service was ever written in. */
const LAST_CODE = 0xfffd;

/** A code unit that none of these treats apart, a letter if there is one. */
export function otherCode(alphabet: readonly number[]): number {
  return ANY.find((code) => !alphabet.includes(code)) ?? LAST_CODE;
}

/** Every state that some text leads to. */
export function reachable(automaton: Automaton): number[] {
  const tried = [...automaton.alphabet, otherCode(automaton.alphabet)];
  const seen = new Set([automaton.start]);
  const open = [automaton.start];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    for (const code of tried) {
      const next = automaton.step(state, code);
      if (next === DEAD || seen.has(next)) continue;
      seen.add(next);
      open.push(next);
    }
  }
  return [...seen];
}
