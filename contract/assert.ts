/** Defects: a broken invariant throws, the actor dies, its supervisor restarts it from the record. */

export class Defect extends Error {
  override readonly name = 'Defect';
}

/** Throws a `Defect` naming the invariant (for example `'C3'`) unless the condition holds. */
export function assert(condition: unknown, invariant: string): asserts condition {
  if (!condition) throw new Defect(`invariant broken: ${invariant}`);
}

/** Ends a switch over a union: a new member becomes a compile error here. */
export function assertNever(value: never): never {
  throw new Defect(`unexpected value: ${JSON.stringify(value)}`);
}
