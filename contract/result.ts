/**
 * The value of an operation that may be refused: either what was asked, or every fault found at once.
 * Refusals are values; outages are classes (`contract/outage.ts`); defects throw.
 */

export type Result<Value, Refusal> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly faults: readonly [Refusal, ...Refusal[]] };

export function accepted<Value>(value: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value };
}

export function refused<Refusal>(
  first: Refusal,
  ...more: readonly Refusal[]
): { readonly ok: false; readonly faults: readonly [Refusal, ...Refusal[]] } {
  return { ok: false, faults: [first, ...more] };
}

/** `refused` for a list that is known to hold at least one fault. */
export function refusedAll<Refusal>(faults: readonly Refusal[]): {
  readonly ok: false;
  readonly faults: readonly [Refusal, ...Refusal[]];
} {
  const [first, ...more] = faults;
  if (first === undefined) throw new Error('a refusal needs at least one fault');
  return refused(first, ...more);
}
