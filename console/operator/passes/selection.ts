/** Which pass is selected, as the address says it. Pure. */

import type { Address } from '../address.ts';
import type { HeldPass } from '../data/held-pass.ts';

/** The pass selected instead; the target of the page stays what it is. */
export function selectionOf(
  { address, target }: { readonly address: Address; readonly target: string },
  { view: { pass } }: HeldPass,
): Pick<Address, 'selected' | 'query'> {
  const of = pass.target === target ? '' : pass.target;
  return { selected: pass.id, query: { ...address.query, of, form: '', offset: '', schedule: '' } };
}

/** The pass that an address names, of those that are known. */
export function selectedOf(
  { selected, query }: Address,
  target: string,
  passes: readonly HeldPass[],
): HeldPass | undefined {
  if (selected === '') return undefined;
  const of = query['of'] || target;
  return passes.find(({ view: { pass } }) => pass.id === selected && pass.target === of);
}

/** The target whose passes are shown; empty: all. */
export function scopeOf({ address, target }: { readonly address: Address; readonly target: string }): string {
  return address.query['scope'] === 'all' ? '' : target;
}
