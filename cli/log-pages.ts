/** Lists of the log of events, page by page until there are as many as were asked for. */

import { EVENT_PAGE } from '../contract/limits/event.ts';
import { WrongUsage } from './command-line.ts';
import { instantOf } from './pass-look.ts';
import { request } from './request.ts';
import type { Service } from './service.ts';

/** Pages of one list: the rest of a log in which little matches is asked for by an earlier `--to`. */
const PAGES = 50;

interface Page {
  readonly next?: string;
  readonly gaps: readonly unknown[];
  readonly damaged: number;
  readonly pending: number;
}

export interface ListedPages<Item> {
  readonly items: readonly Item[];
  /** Older ones may match. */
  readonly more: boolean;
  /** Messages that the archive has still to read. */
  readonly pending: number;
  /** What is missing, a sentence each. */
  readonly said: readonly string[];
}

/** The newest first; undefined when the service refuses. */
export async function logPages<Item, Body extends Page>(
  service: Service,
  path: string,
  query: URLSearchParams,
  {
    limit,
    most = EVENT_PAGE,
    itemsOf,
  }: {
    readonly limit: number;
    /** Of one page. */
    readonly most?: number;
    readonly itemsOf: (page: Body) => readonly Item[];
  },
): Promise<ListedPages<Item> | undefined> {
  const items: Item[] = [];
  let [gaps, damaged, pending] = [0, 0, 0];
  let next: string | undefined;
  for (let page = 0; page < PAGES; page += 1) {
    query.set('limit', String(Math.min(limit - items.length, most)));
    const answer = await request<Body>(service, 'GET', `${path}?${query}`);
    if (answer === undefined) return undefined;
    items.push(...itemsOf(answer));
    [gaps, damaged] = [Math.max(gaps, answer.gaps.length), Math.max(damaged, answer.damaged)];
    // The newest page says how far the archive is.
    if (page === 0) pending = answer.pending;
    next = answer.next;
    if (next === undefined || items.length >= limit) break;
    query.set('cursor', next);
  }
  const said = [
    ...(pending > 0
      ? [`the archive has ${pending} messages still to read: what happened last is missing`]
      : []),
    ...(gaps > 0 ? [`${gaps} gaps: messages of the log were lost before they were archived`] : []),
    ...(damaged > 0 ? [`${damaged} segments of the archive cannot be read`] : []),
  ];
  return { items, more: next !== undefined, pending, said };
}

interface Asked {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The filters that were given, with the times as the service takes them. */
export function logQuery<Names extends string>(
  values: Asked & Readonly<Partial<Record<Names, unknown>>>,
  names: readonly Names[],
): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of names) if (typeof values[name] === 'string') query.set(name, values[name]);
  for (const name of ['from', 'to'] as const)
    if (values[name] !== undefined) query.set(name, instantOf(values[name]));
  return query;
}

export function limitOf(text: string | undefined, usual: number, most: number): number {
  if (text === undefined) return usual;
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > most) throw new WrongUsage(`--limit is a whole number from 1 to ${most}`);
  return limit;
}
