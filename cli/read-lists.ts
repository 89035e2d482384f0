/** Lists that the service gives in parts: read one after the other, each from the `next` of the one before. */

import { request } from './request.ts';
import type { Service } from './service.ts';

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
