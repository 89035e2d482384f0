/**
 * The tables of the connector, and how an earlier version of them becomes this one. `docs/postgres.md` is the
 * documentation of them for users.
 *
 * A1. Versions are applied one behind the other, each in one transaction with the number it leads to; two connectors
 *     that start at once wait for each other (database.ts holds the lock).
 * A2. What is written names its columns: columns that somebody adds, nullable or with a default, do no harm. What is
 *     missing or has another type is said with the statement that puts it back.
 */

/** Rows have at most eight columns: the map of what is null then costs no byte of its own. */
const VERSION_1 = `
create table positions (
  stream text primary key,
  identity text not null,
  position bigint not null,
  stored_at double precision,
  writer bigint not null,
  written_at timestamptz not null default now()
);
comment on table positions is 'How far each stream of the bus is stored here. Written in the transaction of the rows.';

create table gaps (
  id bigint generated always as identity primary key,
  stream text not null,
  identity text not null,
  kind text not null,
  first bigint,
  last bigint,
  after timestamptz,
  before timestamptz,
  noticed_at timestamptz not null default now(),
  detail text not null
);
comment on table gaps is 'What a stream had lost before it was read.';

create table unreadable (
  id bigint generated always as identity primary key,
  stream text not null,
  identity text not null,
  position bigint not null,
  subject text not null,
  stored_at timestamptz not null,
  reason text not null,
  data bytea not null
);
comment on table unreadable is 'Messages that could not be read, as they came.';

create table measures (
  id integer generated always as identity primary key,
  definition text not null unique,
  target text not null,
  name text not null,
  type text not null,
  unit text,
  labels jsonb
);
create index measures_by_name on measures (target, name);
comment on table measures is 'Each measure of each target; another row when its type, unit or labels change.';

create table contexts (
  id smallint generated always as identity primary key,
  link text not null,
  delivery text not null,
  superseded boolean not null,
  unique (link, delivery, superseded)
);

create table sample_rows (
  time timestamptz not null,
  ground_time timestamptz,
  number double precision,
  raw double precision,
  measure integer not null,
  context smallint not null,
  exact numeric,
  text text
) partition by range (time);
create index sample_rows_by_measure on sample_rows (measure, time);
create index sample_rows_by_time on sample_rows using brin (time);
create table sample_rows_other partition of sample_rows default;
comment on table sample_rows is 'Samples as they are stored; read the view samples.';

create view samples as
select m.target, m.name as measure, s.time, coalesce(s.ground_time, s.time) as ground_time,
  c.delivery, c.superseded, c.link, s.number,
  case when s.exact is not null then s.exact
       when m.type in ('u8', 'u16', 'u32', 'u64', 'i8', 'i16', 'i32', 'i64')
            and s.number between -9007199254740992 and 9007199254740992
            and s.number = trunc(s.number)
       then s.number::bigint::numeric end as integer,
  case when m.type = 'bool' and s.number in (0, 1) then s.number = 1 end as boolean,
  case when m.type = 'enum' and s.number between -9007199254740992 and 9007199254740992
       then m.labels ->> (s.number::bigint)::text else s.text end as text,
  coalesce(s.raw, s.number) as raw, m.unit, m.type
from sample_rows s join measures m on m.id = s.measure left join contexts c on c.id = s.context;

create table alarm_events (
  target text not null,
  component text not null,
  instance text,
  alarm text not null,
  seq bigint not null,
  at timestamptz not null,
  cause text,
  previous text,
  state text,
  severity text,
  value jsonb,
  by text,
  shelved_until timestamptz
);
create index alarm_events_by_time on alarm_events (target, at);

create table telecommand_events (
  tc text not null,
  target text not null,
  state text not null,
  at timestamptz not null,
  component text,
  instance text,
  telecommand text,
  by text,
  run text,
  step text,
  conforming boolean,
  detail text
);
create index telecommand_events_by_time on telecommand_events (target, at);
create index telecommand_events_by_tc on telecommand_events (tc);

create table run_events (
  run text not null,
  seq bigint not null,
  at timestamptz not null,
  event text not null,
  body jsonb not null
);
create index run_events_by_run on run_events (run, seq);
create index run_events_by_time on run_events (at);
`;

/** `exact` without `number` is a raw value (sample-rows.X4). */
const VERSION_2 = `
create or replace view samples as
select m.target, m.name as measure, s.time, coalesce(s.ground_time, s.time) as ground_time,
  c.delivery, c.superseded, c.link, s.number,
  case when s.exact is not null and s.number is not null then s.exact
       when m.type in ('u8', 'u16', 'u32', 'u64', 'i8', 'i16', 'i32', 'i64')
            and s.number between -9007199254740992 and 9007199254740992
            and s.number = trunc(s.number)
       then s.number::bigint::numeric end as integer,
  case when m.type = 'bool' and s.number in (0, 1) then s.number = 1 end as boolean,
  case when m.type = 'enum' and s.number between -9007199254740992 and 9007199254740992
       then m.labels ->> (s.number::bigint)::text else s.text end as text,
  coalesce(s.raw, s.number) as raw, m.unit, m.type
from sample_rows s join measures m on m.id = s.measure left join contexts c on c.id = s.context;
`;

/** By the version that each leads to, from 1. */
export const MIGRATIONS: readonly string[] = [VERSION_1, VERSION_2];

export const VERSION = MIGRATIONS.length;

/** Columns that are written, with their types as the catalogue of PostgreSQL names them (A2). */
export const WRITTEN_COLUMNS = {
  positions: 'stream text, identity text, position int8, stored_at float8, writer int8',
  gaps: 'stream text, identity text, kind text, first int8, last int8, after timestamptz, before timestamptz, detail text',
  unreadable:
    'stream text, identity text, position int8, subject text, stored_at timestamptz, reason text, data bytea',
  measures: 'definition text, target text, name text, type text, unit text, labels jsonb',
  contexts: 'link text, delivery text, superseded bool',
  sample_rows:
    'time timestamptz, ground_time timestamptz, number float8, raw float8, measure int4, context int2, exact numeric, text text',
  alarm_events:
    'target text, component text, instance text, alarm text, seq int8, at timestamptz, cause text, previous text, state text, severity text, value jsonb, by text, shelved_until timestamptz',
  telecommand_events:
    'tc text, target text, state text, at timestamptz, component text, instance text, telecommand text, by text, run text, step text, conforming bool, detail text',
  run_events: 'run text, seq int8, at timestamptz, event text, body jsonb',
} as const satisfies Record<string, string>;

export type TableName = keyof typeof WRITTEN_COLUMNS;

/** The statement that takes rows of a table, all of its written columns in order. */
export function copyStatement(schema: string, table: TableName): string {
  const names = WRITTEN_COLUMNS[table].split(', ').map((column) => `"${column.split(' ')[0]}"`);
  return `copy "${schema}"."${table}" (${names.join(', ')}) from stdin (format binary)`;
}

/** What is not as it is written (A2), in words; empty where all is. */
export function schemaFaults(
  found: readonly { readonly table: string; readonly column: string; readonly type: string }[],
): string[] {
  const types = new Map(found.map(({ table, column, type }) => [`${table}.${column}`, type]));
  return Object.entries(WRITTEN_COLUMNS).flatMap(([table, columns]) =>
    columns.split(', ').flatMap((each) => {
      const [column, type] = each.split(' ') as [string, string];
      const stands = types.get(`${table}.${column}`);
      if (stands === type) return [];
      return [
        stands === undefined
          ? `column "${column}" of table ${table} is missing (alter table ${table} add column "${column}" ${type})`
          : `column "${column}" of table ${table} is ${stands} and must be ${type}`,
      ];
    }),
  );
}
