/**
 * The log of events: a page of a large log, from segments and over HTTP, beside the same files read by DuckDB; and its
 * watch, beside bare sends of the same bytes. Threads and all of the pages are in this process.
 */

import { EVENT_PAGE_USUAL } from '../../contract/limits/event.ts';
import type { Driven } from '../acknowledged.ts';
import { SET_BEGINS } from '../archive-set.ts';
import { ARCHIVED_STREAM, inFolder, openIn, timed } from '../archived.ts';
import { duckdbOf } from '../duckdb-reader.ts';
import { madeEvent, spanMs } from '../event-set.ts';
import { historyServer } from '../history-server.ts';
import type { Peer } from '../peer.ts';
import { type Contender, compare, type Result, type Row, type Settings } from '../row.ts';
import { withPeers } from '../with-peers.ts';

const EVENTS = 1_000_000;
const QUICK_EVENTS = 6_000;
/** As the recorder gathers them, and as many as become a segment at once. */
const BATCH = 10;
const SEGMENT = 50_000;
const TARGET = 'sat7';
const WATCHERS = [1, 100];
/** A text frame from 126 bytes on has four bytes in front. */
const FRAME_HEAD_BYTES = 4;
const WATCH_PATH = '/v1/events/watch?severity=detail';

export const eventRows: readonly Row[] = [
  { name: 'events.page', run: async (settings) => [await page(settings)] },
  {
    name: 'events.watch',
    async run(settings) {
      const results: Result[] = [];
      for (const watchers of settings.quick ? WATCHERS.slice(0, 1) : WATCHERS)
        results.push(await watch(watchers, settings));
      return results;
    },
  },
];

/** The newest page, one from the middle of the log, and one of which little matches. */
async function page(settings: Settings): Promise<Result> {
  const events = settings.quick ? QUICK_EVENTS : EVENTS;
  return inFolder(async (folder) => {
    const archive = await openIn(folder);
    for (let n = 0; n < events; n += BATCH) {
      const batch = { events: Array.from({ length: BATCH }, (_, more) => madeEvent(n + more)) };
      const position = n / BATCH + 1;
      await archive.record({ position, storedMs: SET_BEGINS + spanMs(n), batch });
      if ((n + BATCH) % SEGMENT === 0) await archive.flush();
    }
    await archive.flush();
    const [from, to] = [SET_BEGINS, SET_BEGINS + spanMs(events)];
    const middle = from + spanMs(events / 2);
    const ask = async (until: number, where: Readonly<Record<string, readonly string[]>>): Promise<number> =>
      (await archive.events({ from, to: until, where }, { limit: EVENT_PAGE_USUAL })).events.length;
    const server = await historyServer(archive);
    const { duckdb, close } = await duckdbOf(`${folder}/${ARCHIVED_STREAM}/*/events-*.parquet`);
    const asked = { from: instant(from), to: instant(middle), severity: 'detail', targets: TARGET };
    const contenders = [
      timed('of a target, in the middle', settings, () => ask(middle, { target: [TARGET] })),
      timed('over HTTP', settings, () => server.get(asked, '/v1/events')),
      timed('the newest', settings, () => ask(to, {})),
      timed('one kind in a hundred', settings, () => ask(to, { kind: ['alarm'] })),
      timed('DuckDB', settings, () => duckdb([pageSql(middle)])),
    ];
    const note = `a page of ${EVENT_PAGE_USUAL} out of ${events} events in ${archive.contents.segments} segments (aim 50 ms)`;
    const result = await compare(
      { row: 'events.page', unit: 'pages/s', note, contenders, aim: { rate: 20 } },
      settings,
    );
    await server.close();
    await archive.close();
    close();
    return result;
  });
}

const instant = (ms: number): string => new Date(ms).toISOString();

/** The page of the first contender; `n` is what the reader counts. */
function pageSql(before: number): string {
  const until = `make_timestamptz(${before * 1_000}::bigint)`;
  return `select 1 as n, * from FILES where target = '${TARGET}' and time < ${until} order by position desc, index desc limit ${EVENT_PAGE_USUAL}`;
}

async function watch(watchers: number, settings: Settings): Promise<Result> {
  return withPeers(async (start) => {
    const [ours, bare] = [await start('event-fan-out'), await start('bare-fan-out')];
    const [generator, other] = [await start('watchers'), await start('watchers')];
    const started = await ours.call<Serving & { messages: string[] }>('start', { events: BATCH });
    const { messages } = started;
    const startedBare = await bare.call<Serving>('start', { messages });
    const batchBytes = messages.reduce((sum, text) => sum + Buffer.byteLength(text) + FRAME_HEAD_BYTES, 0);
    const contender = async (name: string, peer: Peer, at: Serving, to: Peer): Promise<Contender> => {
      const { port, acknowledgements } = at;
      const watched = { port, path: WATCH_PATH, watchers, acknowledgements, batchBytes, before: 0 };
      await to.call('watch', watched);
      return { name, turn: () => driven(peer, to, watchers * messages.length, settings.roundMs) };
    };
    const contenders = [
      await contender('service', ours, started, generator),
      await contender('bare uWS', bare, startedBare, other),
    ];
    const note = `${BATCH} events per batch to each of ${watchers} watchers, ${Math.round(batchBytes / BATCH)} bytes per message`;
    const aim = { share: 0.5, of: 'bare uWS', by: 'processor time' } as const;
    return compare(
      { row: `events.watch.${watchers}`, unit: 'messages/s delivered', note, contenders, aim },
      settings,
    );
  });
}

interface Serving {
  readonly port: number;
  readonly acknowledgements: number;
}

async function driven(peer: Peer, generator: Peer, perBatch: number, ms: number) {
  const before = await generator.cpuUs();
  const { batches, ms: took, cpuUs } = await peer.call<Driven>('drive', { ms });
  const messages = batches * perBatch;
  return {
    rate: (messages / took) * 1_000,
    cpuUs: cpuUs / messages,
    generator: ((await generator.cpuUs()) - before) / 1_000 / took,
  };
}
