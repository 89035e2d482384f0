/**
 * Samples by day of their time, so that what is to be kept no longer is dropped, not deleted.
 *
 * P1. A day has a partition before its first row comes, unless P3 or P4 is against it: those of the last
 *     `POSTGRES_DAYS_BACK` days, or as many as are kept, and of tomorrow. A time outside of that (a clock on board that
 *     was never set, or is far ahead) has none: its rows are in `sample_rows_other`, and kept by when they were received.
 * P2. Where rows of a day came before it had one, they are moved into it.
 * P3. A table that an operator detached is theirs: it is neither dropped nor written, and further rows of its day go to
 *     `sample_rows_other`. Whether it is attached is asked behind a lock that detaching waits for.
 * P4. No open transaction of a reader stops the storing. Attaching and dropping need locks that wait for readers, and
 *     that new readers wait for: both take them before anything else, give up after `LOCK_MS` and are tried again later.
 *     Until then rows of a day that is not attached go to `sample_rows_other`.
 */

import { POSTGRES_DAYS_BACK } from '../../contract/limits/postgres.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Queries } from './session.ts';

const DAY_MS = 86_400_000;
const NAME = /^sample_rows_(\d{4})(\d{2})(\d{2})$/;
const LOCK_MS = 2_000;
/** How long nothing is attached after a lock was not got. */
const ATTACH_AGAIN_MS = 60_000;
/** Rows that one statement moves: a statement that takes longer than `POSTGRES_STALLED_MS` ends the session. */
const MOVED_AT_ONCE = 1_000_000;
/** A lock was not got in time, or only by ending another transaction that waits for ours. */
const NOT_LOCKED = new Set(['55P03', '40P01']);

const ATTACHED = `select c.relname as name, c.oid::regclass::text as written
from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'sample_rows'::regclass`;

export class Partitions {
  readonly #queries: Queries;
  readonly #clock: Clock;
  readonly #log: Log;
  /** Days back of which one has a partition. */
  readonly #reach: number;
  /** Days since 1970 that have a table, attached or not. */
  #days = new Set<number>();
  /** Days that are to have one, in the order in which they were wanted. */
  readonly #missing = new Set<number>();
  /** Set while a lock was not got; monotonic time. */
  #attachAt: number | undefined;

  private constructor(queries: Queries, clock: Clock, keepDays: number | undefined, log: Log) {
    this.#queries = queries;
    this.#clock = clock;
    this.#log = log;
    this.#reach = Math.min(keepDays ?? POSTGRES_DAYS_BACK, POSTGRES_DAYS_BACK);
  }

  static async open(
    queries: Queries,
    clock: Clock,
    keepDays: number | undefined,
    log: Log,
  ): Promise<Partitions> {
    const partitions = new Partitions(queries, clock, keepDays, log);
    partitions.#days = new Set(await partitions.#attachedDays());
    return partitions;
  }

  /** Makes those that rows of these times need. */
  async ensure(times: Iterable<number>): Promise<void> {
    const today = this.#today();
    const wanted = new Set<number>([today, today + 1]);
    for (const time of times) wanted.add(Math.floor(time / DAY_MS));
    for (const day of wanted) {
      const isInReach = day >= today - this.#reach && day <= today + 1;
      if (isInReach && !this.#days.has(day)) this.#missing.add(day);
    }
    if (this.#attachAt === undefined || this.#clock.monotonic() >= this.#attachAt) await this.#makeMissing();
  }

  /** Drops those of days of which all is older than so many days; the names of those. */
  async drop(keepDays: number): Promise<string[]> {
    const attached = await this.#attachedDays();
    const first = this.#today() - keepDays;
    const old = attached.filter((day) => day < first).sort((a, b) => a - b);
    this.#days = new Set(attached);
    const dropped: string[] = [];
    for (const [place, day] of old.entries()) {
      const isDropped = await this.#withLock(() => this.#dropAttached(nameOf(day)));
      if (isDropped === undefined) {
        const later = old.slice(place).map(nameOf);
        this.#log.warn(
          { later },
          'days cannot be dropped yet: another transaction has read samples and is still open; they are tried again in an hour',
        );
        break;
      }
      this.#days.delete(day);
      if (isDropped) dropped.push(nameOf(day));
    }
    await this.#queries.rows('delete from sample_rows_other where coalesce(ground_time, time) < $1', [
      new Date(first * DAY_MS),
    ]);
    return dropped;
  }

  #today(): number {
    return Math.floor(this.#clock.now() / DAY_MS);
  }

  async #attachedDays(): Promise<number[]> {
    const found = await this.#queries.rows<{ name: string }>(ATTACHED);
    return found.map(({ name }) => dayNamed(name)).filter((day) => day !== undefined);
  }

  async #makeMissing(): Promise<void> {
    for (const day of this.#missing) {
      if ((await this.#withLock(() => this.#make(day))) === undefined) return this.#makeLater();
      this.#days.add(day);
      this.#missing.delete(day);
    }
    this.#attachAt = undefined;
  }

  /** P4; said once until all are made. */
  #makeLater(): void {
    const isNews = this.#attachAt === undefined;
    this.#attachAt = this.#clock.monotonic() + ATTACH_AGAIN_MS;
    if (!isNews) return;
    const days = [...this.#missing].map(nameOf);
    this.#log.warn(
      { days },
      'tables of days cannot be attached yet: another transaction has read samples and is still open; until it ends, their rows are stored in sample_rows_other',
    );
  }

  async #make(day: number): Promise<'made'> {
    const name = nameOf(day);
    // Detaching waits for this one, and this one for no reader.
    await this.#queries.rows('lock table only sample_rows in share update exclusive mode');
    const [found] = await this.#queries.rows<{ oid: string | null }>('select to_regclass($1) as oid', [name]);
    // P3
    if (found?.oid !== null) return 'made';
    await this.#queries.rows('lock table only sample_rows_other in access exclusive mode');
    await this.#queries.rows(`create table ${name} (like sample_rows including defaults)`);
    const [from, to] = [day, day + 1].map((each) => `'${new Date(each * DAY_MS).toISOString()}'`);
    await this.#move(name, `time >= ${from} and time < ${to}`);
    await this.#queries.rows(
      `alter table sample_rows attach partition ${name} for values from (${from}) to (${to})`,
    );
    return 'made';
  }

  /** P2 */
  async #move(name: string, which: string): Promise<void> {
    for (let count = MOVED_AT_ONCE; count === MOVED_AT_ONCE; ) {
      const [moved] = await this.#queries.rows<{ count: number }>(
        `with taken as (
           delete from sample_rows_other where ctid = any(array(
             select ctid from sample_rows_other where ${which} limit ${MOVED_AT_ONCE}
           )) returning *
         ), moved as (insert into ${name} select * from taken returning 1)
         select count(*)::int as count from moved`,
      );
      count = moved!.count;
    }
  }

  /** P3: false where it is not attached any more. */
  async #dropAttached(name: string): Promise<boolean> {
    await this.#queries.rows('lock table only sample_rows in access exclusive mode');
    const [found] = await this.#queries.rows<{ written: string }>(`${ATTACHED} and c.relname = $1`, [name]);
    if (found === undefined) return false;
    await this.#queries.rows(`drop table ${found.written}`);
    return true;
  }

  /** P4: the work as one transaction; undefined where it did not get a lock, and nothing of it is done. */
  async #withLock<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    await this.#queries.rows(`begin; set local lock_timeout = ${LOCK_MS}`);
    try {
      const result = await work();
      await this.#queries.rows('commit');
      return result;
    } catch (error) {
      if (!NOT_LOCKED.has((error as { readonly code?: string }).code ?? '')) throw error;
      await this.#queries.rows('rollback');
      return undefined;
    }
  }
}

function nameOf(day: number): string {
  return `sample_rows_${new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '')}`;
}

function dayNamed(name: string): number | undefined {
  const [, year, month, day] = NAME.exec(name) ?? [];
  if (year === undefined) return undefined;
  return Math.floor(Date.UTC(Number(year), Number(month) - 1, Number(day)) / DAY_MS);
}
