/**
 * What the page shows, as its address says: `#/values/…?target=sat1&find=batt`. Every view and selection has one,
 * so that it can be sent to a colleague and survives a reload. Pure.
 */

export const PAGES = [
  'alarms',
  'values',
  'telecommands',
  'runs',
  'passes',
  'files',
  'events',
  'fleet',
] as const;
export type PageName = (typeof PAGES)[number];
/** The inspector is a document of its own under the same frame (decision 67). */
export type PlaceName = PageName | 'system';

export interface Address {
  readonly page: PlaceName;
  /** What is selected on it: a telecommand, a run; on the system page an entity, as its fragment; empty for nothing. */
  readonly selected: string;
  /** The rest of the selection, by name. */
  readonly query: Readonly<Record<string, string>>;
}

/** Longer fragments are not read: nothing that we write is, what is typed into a form included. */
const LONGEST = 64_000;

/** The address of a fragment; the alarms of the first target where it names no page. */
export function addressOf(fragment: string): Address {
  const text = fragment.replace(/^#\/?/, '').slice(0, LONGEST);
  const [path = '', search = ''] = text.split('?', 2);
  const [name = '', ...rest] = path.split('/');
  const page = PAGES.find((each) => each === name) ?? 'alarms';
  return { page, selected: decoded(rest.join('/')), query: Object.fromEntries(new URLSearchParams(search)) };
}

export function fragmentOf({ page, selected, query }: Address): string {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString();
  const path = selected === '' ? page : `${page}/${encodeURIComponent(selected)}`;
  return `#/${path}${search === '' ? '' : `?${search}`}`;
}

/** The same from any document of the console. */
export function hrefOf(address: Address): string {
  if (address.page !== 'system') return `/${fragmentOf(address)}`;
  const target = address.query['target'] ?? '';
  const search = target === '' ? '' : `?${new URLSearchParams({ target })}`;
  return `/inspect${search}${address.selected === '' ? '' : `#${address.selected}`}`;
}

/** The live chart of an entity, under the state of this target. */
export function chartOf(kind: string, id: string, target = ''): string {
  const selected = `${encodeURIComponent(kind)}/${encodeURIComponent(id)}`;
  return hrefOf({ page: 'system', selected, query: { target } });
}

/** Where the system page is: the target stands before the entity, which keeps the fragment for itself. */
export function systemAddress(search: string, fragment: string): Address {
  const target = new URLSearchParams(search).get('target') ?? '';
  return { page: 'system', selected: fragment.replace(/^#/, ''), query: { target } };
}

/** The same page with other values in its query; an empty one is left out. */
export function withQuery(address: Address, changes: Readonly<Record<string, string>>): Address {
  return { ...address, query: { ...address.query, ...changes } };
}

/** Another page; the target stays. */
export function onPage(
  { query }: Address,
  page: PlaceName,
  selected = '',
  more: Readonly<Record<string, string>> = {},
): Address {
  return { page, selected, query: { target: query['target'] ?? '', ...more } };
}

/** A part that somebody cut off in the middle of an escape stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
