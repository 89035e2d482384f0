/**
 * Entities of the service as lines of text (`actor.ts`). What comes from a store is dated: it was so when it was
 * written.
 */

import { comesAndGoes, isAtRest } from '../contract/at-rest.ts';
import type { EntitySummary, EntityView, StoredView } from '../contract/inspection.ts';
import type { InspectedEntity, InspectFound } from '../contract/inspector.ts';
import { printable } from './printable.ts';

type Row = readonly string[];

/** Characters of one field of a context. */
const FIELD_CHARACTERS = 120;

/** A table: what, in which state, and where. */
export function listedLines({ entities, more, complete, silent, at }: InspectFound): string[] {
  const rows = (entities as readonly EntitySummary[]).map((entity) => rowOf(entity, silent.length > 0, at));
  const notes = [
    ...(entities.length === 0 ? ['nothing that matches'] : []),
    ...(more > 0 ? [`and ${more} more: narrow the search, or ask for more with --limit`] : []),
    ...(complete ? [] : ['older ones were not looked at']),
    ...silent.map(({ instance, why }) => `${instance} does not answer (${why})`),
  ];
  const table = rows.length === 0 ? [] : tabled([['KIND/ID', 'STATE', 'REVISION', 'LAST', 'WHERE'], ...rows]);
  return [...table, ...notes].map(plain);
}

function rowOf(entity: EntitySummary, isSomebodySilent: boolean, at: number): Row {
  const { kind, id, label, state, revision } = entity;
  const name = `${kind}/${id}${label === undefined ? '' : `  ${label}`}`;
  return [
    name,
    state === '' ? '-' : state,
    String(revision),
    ago(at - entity.at),
    whereOf(entity, isSomebodySilent, at),
  ];
}

function whereOf(entity: EntitySummary, isSomebodySilent: boolean, at: number): string {
  const { status, instance, stored } = entity;
  if (status === 'finished') return 'over';
  if (instance !== undefined && instance !== '')
    return status === 'live' ? instance : `${instance}, ${status}`;
  if (isAtRest(entity) && !isSomebodySilent)
    return comesAndGoes(entity) ? 'at rest' : `at rest, stored ${ago(at - (stored?.at ?? entity.at))}`;
  if (stored === undefined) return 'in its log only';
  const why = isSomebodySilent ? 'its process is silent' : 'no process has it';
  return `stored ${ago(at - stored.at)}, ${why}`;
}

/** One entity, and what its store has of it. */
export function entityLines({ entity, at }: InspectedEntity): string[] {
  const { kind, id, label, target, instance, status, epoch, reason, stored } = entity;
  const isHere = instance !== '';
  const facts: Row[] = [
    ['state', entity.state === '' ? '-' : entity.state],
    ['where', isHere ? `${instance} (${status}), epoch ${epoch}` : whereOf(entity, false, at)],
    ...(label === undefined ? [] : [['label', label]]),
    ...(target === undefined ? [] : [['target', target]]),
    ...(reason === undefined ? [] : [['reason', reason]]),
    ['revision', `${entity.revision}, last ${ago(at - entity.at)}`],
    ...deadlines(entity, at),
    ...effects(entity),
    ...(stored === undefined ? [] : storedRows(stored, at)),
    ...contextRows(entity),
  ];
  return [`${kind}/${id}`, ...tabled(facts).map((line) => `  ${line}`)].map(plain);
}

function deadlines({ timers }: Pick<StoredView, 'timers'>, at: number): Row[] {
  return timers.map(({ event, dueAt }, n) => {
    const left = dueAt - at;
    return [
      n === 0 ? 'deadlines' : '',
      `${nameOf(event)} ${left < 0 ? `was due ${ago(-left)}` : `in ${span(left)}`}`,
    ];
  });
}

/** `xstate.after.verificationTimeout.telecommand.SENT` is named `verificationTimeout`. */
function nameOf(event: string): string {
  return /^xstate\.after\.([^.]+)\./.exec(event)?.[1] ?? event;
}

function effects({ effects: pending }: Pick<StoredView, 'effects'>): Row[] {
  return pending.map(({ key, type }, n) => [n === 0 ? 'effects' : '', `${type}  ${key}`]);
}

function storedRows(stored: StoredView, at: number): Row[] {
  const { state, revision, position, epoch, chartVersion, timers } = stored;
  const covers = position === undefined ? 'its record' : `its log up to position ${position}`;
  return [
    ['stored', `${ago(at - stored.at)}: ${covers}`],
    ['', `${state}, revision ${revision}, epoch ${epoch}, chart version ${chartVersion}`],
    ['', `${counted(timers.length, 'deadline')}, ${counted(stored.effects.length, 'pending effect')}`],
  ];
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function contextRows({ context }: Pick<EntityView, 'context'>): Row[] {
  if (typeof context !== 'object' || context === null) return [];
  return Object.entries(context).map(([name, value], n) => [
    n === 0 ? 'context' : '',
    `${name} ${cut(JSON.stringify(value) ?? '')}`,
  ]);
}

function cut(text: string): string {
  return text.length <= FIELD_CHARACTERS ? text : `${text.slice(0, FIELD_CHARACTERS)}…`;
}

function ago(ms: number): string {
  return `${span(Math.max(0, ms))} ago`;
}

function span(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} d`;
}

function tabled(rows: readonly Row[]): string[] {
  const columns = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]!.length))) ?? [];
  return rows.map((row) => row.map((cell, column) => cell.padEnd(columns[column] ?? 0)).join('  '));
}

/** Names come from missions and clients: no control character of them reaches the terminal. */
function plain(line: string): string {
  return printable(line.trimEnd());
}
