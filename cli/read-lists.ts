/** Lists that the service gives in parts: read one after the other, each from the `next` of the one before. */

import { instantOf } from './pass-look.ts';
import { request } from './request.ts';
import type { Service } from './service.ts';
import { TABLE_OPTIONS } from './table-options.ts';

/** For `parseArgs`: what a command that lists what has a time takes beside its own options. */
export const LIST_OPTIONS = {
  ...TABLE_OPTIONS,
  all: { type: 'boolean' },
  from: { type: 'string' },
  to: { type: 'string' },
} as const;

interface ListValues {
  readonly all?: boolean | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The query of a list: those options, and what else narrows it. */
export function listQuery(
  { all = false, from, to }: ListValues,
  narrowed: Readonly<Record<string, string | undefined>>,
): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(narrowed)) if (value !== undefined) query.set(name, value);
  if (all) query.set('all', 'true');
  if (from !== undefined) query.set('from', instantOf(from));
  if (to !== undefined) query.set('to', instantOf(to));
  return query;
}

export interface Listed<Item> {
  readonly items: readonly Item[];
  /** More match than are read. */
  readonly more: boolean;
}

/** All that match, of `most` lists; undefined after a refusal was printed. */
export async function readLists<Item, List extends { readonly next?: string }>(
  service: Service,
  { path, query, most }: { readonly path: string; readonly query: URLSearchParams; readonly most: number },
  itemsOf: (list: List) => readonly Item[],
): Promise<Listed<Item> | undefined> {
  const items: Item[] = [];
  for (let lists = 0; lists < most; lists += 1) {
    const reply = await request<List>(service, 'GET', `${path}${query.size > 0 ? `?${query}` : ''}`);
    if (reply === undefined) return undefined;
    items.push(...itemsOf(reply));
    if (reply.next === undefined) return { items, more: false };
    query.set('after', reply.next);
  }
  return { items, more: true };
}
