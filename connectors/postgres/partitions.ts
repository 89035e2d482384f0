/**
 * Samples by day of their time, so that what is to be kept no longer is dropped, not deleted.
 *
 * P1. A day has a partition before its first row comes: those of the last `POSTGRES_DAYS_BACK` days, or as many as are
 *     kept, and of tomorrow. A time outside of that (a clock on board that was never set, or is far ahead) has none: its rows stand in
 *     `sample_rows_other`, and are kept by when they were received.
 * P2. Where rows of a day came before it had one, they are moved into it.
 */

import { POSTGRES_DAYS_BACK } from '../../contract/limits/postgres.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Queries } from './session.ts';

const DAY_MS = 86_400_000;
const NAME = /^sample_rows_(\d{4})(\d{2})(\d{2})$/;

export class Partitions {
  readonly #queries: Queries;
  readonly #clock: Clock;
  /** Days back of which one has a partition. */
  readonly #reach: number;
  /** Days since 1970 that have one. */
  readonly #days = new Set<number>();

  private constructor(queries: Queries, clock: Clock, keepDays: number | undefined) {
    this.#queries = queries;
    this.#clock = clock;
    this.#reach = Math.min(keepDays ?? POSTGRES_DAYS_BACK, POSTGRES_DAYS_BACK);
  }

  static async open(queries: Queries, clock: Clock, keepDays: number | undefined): Promise<Partitions> {
    const partitions = new Partitions(queries, clock, keepDays);
    const found = await queries.rows<{ name: string }>(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = 'sample_rows'::regclass`,
    );
    for (const { name } of found) {
      const day = dayNamed(name);
      if (day !== undefined) partitions.#days.add(day);
    }
    return partitions;
  }

  /** Makes those that rows of these times need. */
  async ensure(times: Iterable<number>): Promise<void> {
    const today = this.#today();
    const wanted = new Set<number>([today, today + 1]);
    for (const time of times) wanted.add(Math.floor(time / DAY_MS));
    for (const day of wanted) {
      const isInReach = day >= today - this.#reach && day <= today + 1;
      if (isInReach && !this.#days.has(day)) await this.#make(day);
    }
  }

  /** Drops those of days of which all is older than so many days; the names of those. */
  async drop(keepDays: number): Promise<string[]> {
    const old = [...this.#days].filter((day) => day < this.#today() - keepDays).sort((a, b) => a - b);
    for (const day of old) {
      await this.#queries.rows(`drop table if exists ${nameOf(day)}`);
      this.#days.delete(day);
    }
    const before = new Date((this.#today() - keepDays) * DAY_MS);
    await this.#queries.rows('delete from sample_rows_other where coalesce(ground_time, time) < $1', [
      before,
    ]);
    return old.map(nameOf);
  }

  #today(): number {
    return Math.floor(this.#clock.now() / DAY_MS);
  }

  async #make(day: number): Promise<void> {
    const name = nameOf(day);
    const [from, to] = [day, day + 1].map((each) => `'${new Date(each * DAY_MS).toISOString()}'`);
    await this.#queries.rows(
      `begin;
       create table ${name} (like sample_rows including defaults);
       with moved as (delete from sample_rows_other where time >= ${from} and time < ${to} returning *)
       insert into ${name} select * from moved;
       alter table sample_rows attach partition ${name} for values from (${from}) to (${to});
       commit`,
    );
    this.#days.add(day);
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
