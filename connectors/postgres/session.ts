/**
 * One connection to the database, from its opening until anything goes wrong with it: then it is left, the server takes
 * back what was not committed, and the next session reads from the tables how far everything is.
 *
 * S1. One instance writes: an advisory lock of the session keeps others out while it lives, and each transaction
 *     writes only where the positions are as this writer left them. The second alone decides (poolers, servers that
 *     hold a connection for dead); the first spares the work.
 * S2. Rows and positions are committed together, or not at all. Whoever does not learn whether a commit was done, as
 *     when the connection is lost, opens a new session and sees.
 * S3. Nothing waits for ever: a connection that is lost and one that makes no headway for `POSTGRES_STALLED_MS` reject
 *     whatever waits on it.
 */

import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { POSTGRES_CONNECT_MS, POSTGRES_STALLED_MS } from '../../contract/limits/postgres.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import { copyStatement, MIGRATIONS, schemaFaults, type TableName, VERSION } from './schema.ts';
import { SchemaAltered, WrittenByAnother } from './trouble.ts';

export interface DatabaseOptions {
  /** `postgres://…`; what it leaves out is taken from the environment (`PGUSER`, `PGPASSWORD`, `PGPASSFILE`, …). */
  readonly url: string;
  /** A token. */
  readonly schema: string;
  readonly clock: Clock;
}

export interface Queries {
  rows<Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** How far a stream is stored; position 0: nothing of it. */
export interface StoredPosition {
  readonly identity: string;
  readonly position: number;
  /** When its message was stored on the bus, ms since 1970. */
  readonly at: number | undefined;
}

export class Session implements Queries {
  readonly #client: pg.Client;
  readonly #schema: string;
  readonly #clock: Clock;
  readonly #broken: Promise<never>;
  #break: (error: Error) => void = () => undefined;
  #timer: TimerHandle | undefined;
  #writers: ReadonlyMap<string, string> = new Map();

  /** Connected, with the tables in place and nobody else writing; rejects with what stands in the way. */
  static async open(options: DatabaseOptions): Promise<Session> {
    const session = new Session(options);
    try {
      await session.#begin();
      return session;
    } catch (error) {
      session.leave();
      throw error;
    }
  }

  private constructor({ url, schema, clock }: DatabaseOptions) {
    this.#schema = schema;
    this.#clock = clock;
    this.#client = new pg.Client({
      connectionString: url,
      application_name: 'mcs connector postgres',
      connectionTimeoutMillis: POSTGRES_CONNECT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: POSTGRES_CONNECT_MS,
    });
    this.#broken = new Promise<never>((_, reject) => {
      this.#break = reject;
    });
    this.#broken.catch(() => undefined);
    this.#client.on('error', this.#break);
    this.#client.on('end', () => this.#break(new Error('the connection was closed')));
  }

  /** Rejects when the connection is lost; never resolves. */
  get broken(): Promise<never> {
    return this.#broken;
  }

  async #begin(): Promise<void> {
    await this.#watched(this.#client.connect());
    await this.rows(`create schema if not exists "${this.#schema}"`).catch((error: { code?: string }) => {
      // Whoever may not make one may use one that is there.
      if (error.code !== '42501') throw error;
    });
    await this.rows(`set search_path = "${this.#schema}"`);
    const [lock] = await this.rows<{ got: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as got',
      [`mcs connector postgres ${this.#schema}`],
    );
    if (lock?.got !== true) throw new WrittenByAnother(this.#schema);
    await this.#migrate();
    await this.#check();
  }

  /** schema.A1 */
  async #migrate(): Promise<void> {
    await this.rows('create table if not exists schema_version (version integer not null)');
    const [found] = await this.rows<{ version: number }>(
      'select max(version) as version from schema_version',
    );
    const version = found?.version ?? 0;
    if (version > VERSION)
      throw new SchemaAltered(
        `the schema ${this.#schema} is of version ${version}, which a later release made; this one knows ${VERSION}`,
      );
    for (const [n, migration] of MIGRATIONS.entries()) {
      if (n < version) continue;
      await this.rows(
        `begin; ${migration} delete from schema_version; insert into schema_version values (${n + 1}); commit`,
      );
    }
  }

  /** schema.A2 */
  async #check(): Promise<void> {
    const found = await this.rows<{ table: string; column: string; type: string }>(
      `select table_name as table, column_name as column, udt_name as type
       from information_schema.columns where table_schema = $1`,
      [this.#schema],
    );
    const faults = schemaFaults(found);
    if (faults.length > 0) throw new SchemaAltered(faults.join('; '));
  }

  /** Takes the streams over: from now on nothing that an earlier writer does is committed. How far each is stored. */
  async take(streams: readonly string[]): Promise<ReadonlyMap<string, StoredPosition>> {
    await this.rows(
      `insert into positions (stream, identity, position, writer)
       select name, '', 0, 0 from unnest($1::text[]) as name order by 1 on conflict do nothing`,
      [streams],
    );
    const taken = await this.rows<{
      stream: string;
      identity: string;
      position: string;
      at: number | null;
      writer: string;
    }>(
      `update positions set writer = writer + 1 where stream = any($1::text[])
       returning stream, identity, position, stored_at as at, writer`,
      [streams],
    );
    this.#writers = new Map(taken.map(({ stream, writer }) => [stream, writer]));
    return new Map(
      taken.map(({ stream, identity, position, at }) => [
        stream,
        { identity, position: Number(position), at: at ?? undefined },
      ]),
    );
  }

  /** S1: moves a position inside a transaction; rejects where it is not as this writer left it. */
  async move(stream: string, from: StoredPosition, to: StoredPosition): Promise<void> {
    const moved = await this.rows(
      `update positions set identity = $1, position = $2, stored_at = $3, written_at = now()
       where stream = $4 and identity = $5 and position = $6 and writer = $7 returning stream`,
      [to.identity, to.position, to.at, stream, from.identity, from.position, this.#writers.get(stream)],
    );
    if (moved.length === 0) throw new WrittenByAnother(this.#schema);
  }

  async rows<Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]> {
    const result = await this.#watched(this.#client.query<Row>(sql, values as unknown[] | undefined));
    return result.rows;
  }

  /** Gives rows in the binary form of COPY to a table; resolves when the server has taken all of them. */
  async copy(table: TableName, pieces: Iterable<Uint8Array>): Promise<number> {
    const stream = this.#client.query(copyFrom(copyStatement(this.#schema, table)));
    const failed = new Promise<never>((_, reject) => stream.on('error', reject));
    failed.catch(() => undefined);
    for (const piece of pieces) {
      if (stream.write(piece)) continue;
      await this.#watched(
        Promise.race([new Promise<void>((resolve) => stream.once('drain', resolve)), failed]),
      );
    }
    const finished = new Promise<void>((resolve) => stream.once('finish', resolve));
    stream.end();
    await this.#watched(Promise.race([finished, failed]));
    return stream.rowCount;
  }

  /** Ends it in order. */
  async end(): Promise<void> {
    await this.#watched(this.#client.end()).catch(() => undefined);
    this.leave();
  }

  /** Leaves it as it stands: what is not committed is taken back. */
  leave(): void {
    this.#clearTimer();
    this.#break(new Error('the session was left'));
    const { connection } = this.#client as unknown as { connection?: { stream?: { destroy(): void } } };
    connection?.stream?.destroy();
  }

  /** S3 */
  async #watched<Value>(work: Promise<Value>): Promise<Value> {
    this.#clearTimer();
    const stalled = new Error(`no answer of the database for ${POSTGRES_STALLED_MS / 1_000} s: timeout`);
    this.#timer = this.#clock.setTimeout(() => this.#break(stalled), POSTGRES_STALLED_MS);
    try {
      return await Promise.race([work, this.#broken]);
    } finally {
      this.#clearTimer();
    }
  }

  #clearTimer(): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
