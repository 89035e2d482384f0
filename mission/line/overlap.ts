/**
 * Whether two patterns match a common line, and whether one matches all that the other does: both automata are walked
 * together. Deterministic automata make both questions a search over pairs of states.
 *
 * O1. The walk tries each code unit that either pattern treats apart, and one for all others: that is every case there
 *     is.
 */

import { type Automaton, DEAD, otherCode, reachable } from './automaton.ts';

/** A line that both match, the shortest; undefined when there is none. */
export function commonLine(a: Automaton, b: Automaton): string | undefined {
  return walk(a, b, (left, right) => a.accepts(left) && b.accepts(right), false);
}

/** Whether `wide` matches every line that `narrow` does. */
export function covers(wide: Automaton, narrow: Automaton): boolean {
  const missing = (left: number, right: number): boolean =>
    narrow.accepts(right) && (left === DEAD || !wide.accepts(left));
  return walk(wide, narrow, missing, true) === undefined;
}

interface Pair {
  readonly left: number;
  readonly right: number;
  readonly line: string;
}

/** The shortest line that leads to a pair that is sought; the left automaton may be dead on the way. */
function walk(
  a: Automaton,
  b: Automaton,
  isSought: (left: number, right: number) => boolean,
  leftMayDie: boolean,
): string | undefined {
  const codes = codesOf(a, b);
  const seen = new Map<number, Set<number>>();
  let front: Pair[] = [{ left: a.start, right: b.start, line: '' }];
  while (front.length > 0) {
    const next: Pair[] = [];
    for (const { left: from, right: to, line } of front) {
      for (const code of codes) {
        const left = from === DEAD ? DEAD : a.step(from, code);
        const right = b.step(to, code);
        if (right === DEAD || (left === DEAD && !leftMayDie) || wasSeen(seen, left, right)) continue;
        const longer = line + String.fromCharCode(code);
        if (isSought(left, right)) return longer;
        next.push({ left, right, line: longer });
      }
    }
    front = next;
  }
  return undefined;
}

/** Remembers a pair; whether it was known. */
function wasSeen(seen: Map<number, Set<number>>, left: number, right: number): boolean {
  const rights = seen.get(left) ?? new Set<number>();
  if (rights.has(right)) return true;
  seen.set(left, rights.add(right));
  return false;
}

/** One code unit of each set that both treat alike (O1). */
function codesOf(a: Automaton, b: Automaton): number[] {
  const alphabet = [...new Set([...a.alphabet, ...b.alphabet])];
  const [classOfA, classOfB] = [classesOf(a), classesOf(b)];
  const chosen = new Map<string, number>();
  for (const code of [...alphabet, otherCode(alphabet)]) {
    const both = `${classOfA.get(code) ?? -1} ${classOfB.get(code) ?? -1}`;
    if (!chosen.has(both)) chosen.set(both, code);
  }
  return [...chosen.values()];
}

const known = new WeakMap<Automaton, ReadonlyMap<number, number>>();

/** The code units of its alphabet by what they do in every state: those of one number do the same. */
function classesOf(automaton: Automaton): ReadonlyMap<number, number> {
  const before = known.get(automaton);
  if (before !== undefined) return before;
  const states = reachable(automaton);
  const numbers = new Map<string, number>();
  const classes = new Map<number, number>();
  for (const code of automaton.alphabet) {
    const moves = states.map((state) => automaton.step(state, code)).join();
    if (!numbers.has(moves)) numbers.set(moves, numbers.size);
    classes.set(code, numbers.get(moves)!);
  }
  known.set(automaton, classes);
  return classes;
}
