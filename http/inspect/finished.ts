/**
 * Telecommands as their log reports them, newest first: the inspector finds finished ones here, because no process has
 * them any more. Mission Control Service, section 2.1.
 *
 * D1. Bounded: at most `INSPECT_EVENTS` positions of the stream are looked through, in widening windows from its end,
 *     and the answer says when there may be older ones.
 */

import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { EntitySummary, FindCall } from '../../contract/inspection.ts';
import { INSPECT_EVENTS } from '../../contract/limits/inspect.ts';
import { readTcEvent } from '../../contract/telecommand.ts';
import { telecommandLabel } from '../../contract/telecommand-label.ts';
import { isFinalTcState } from '../../contract/telecommand-state.ts';
import { isToken, isUlid } from '../../contract/token.ts';
import type { Bus, FollowFrom, StreamMessage } from '../../ports/bus.ts';

export interface Recorded {
  /** Newest first. */
  readonly entities: readonly EntitySummary[];
  readonly complete: boolean;
}

/** Most searches end in the first window. */
const WINDOWS = [2_000, 16_000, INSPECT_EVENTS];

/** Whether the search asks for telecommands out of the log: a target or an id is given, and no other kind. */
export function asksForRecorded({ kind, id, target }: FindCall): boolean {
  return (kind === undefined || kind === 'telecommand') && (id !== undefined || target !== undefined);
}

/** Telecommands of the log that match; those that are not at their end have the status `loading`. */
export async function findRecorded(bus: Bus, call: FindCall): Promise<Recorded> {
  const { about, whole } = subjectOf(call);
  if (about === undefined) return { entities: [], complete: true };
  if (whole) return { entities: await read(bus, about, { from: 'start' }, call), complete: true };
  const last = await lastPosition(bus, about);
  for (const window of WINDOWS) {
    const first = Math.max(1, last - window + 1);
    const entities = await read(bus, about, { from: 'seq', seq: first }, call);
    if (entities.length > call.limit || first === 1) return { entities, complete: first === 1 };
    if (window === INSPECT_EVENTS) return { entities, complete: false };
  }
  return { entities: [], complete: true };
}

/** The narrowest subject that holds what is asked for; `whole` when it is one telecommand and needs no window. */
function subjectOf({ id, target }: FindCall): { about: string | undefined; whole: boolean } {
  if (target !== undefined && !isToken(target)) return { about: undefined, whole: true };
  const [before, after] = id?.includes('.') === true ? id.split('.', 2) : [undefined, id];
  if (after !== undefined && isUlid(after)) {
    const of = before !== undefined && isToken(before) ? before : target;
    const about = of === undefined ? subject.tcEventAnywhere(after) : subject.tcEvent(of, after);
    return { about, whole: true };
  }
  return { about: subject.tcEvents(target), whole: false };
}

async function lastPosition(bus: Bus, about: string): Promise<number> {
  const follower = await bus.follow(streams.telecommandEvents, about, { from: 'now' }, () => undefined);
  try {
    return await follower.caughtUp;
  } finally {
    await follower.stop();
  }
}

async function read(bus: Bus, about: string, from: FollowFrom, call: FindCall): Promise<EntitySummary[]> {
  const found = new Map<string, EntitySummary>();
  const follower = await bus.follow(streams.telecommandEvents, about, from, (message) =>
    take(message, found),
  );
  try {
    await follower.caughtUp;
  } finally {
    await follower.stop();
  }
  return [...found.values()]
    .filter((entity) => matches(entity, call))
    .sort((one, other) => other.at - one.at);
}

function take(message: StreamMessage, found: Map<string, EntitySummary>): void {
  const [, , , target = '', tc = ''] = message.subject.split('.');
  const event = readTcEvent(message.data);
  if (event === undefined) return;
  const id = `${target}.${tc}`;
  const before = found.get(id);
  const state = event.state === 'ECHO' ? (before?.state ?? 'SENT') : event.state;
  const label = telecommandLabel(event.telecommand) ?? before?.label;
  found.set(id, {
    kind: 'telecommand',
    id,
    ...(label !== undefined && { label }),
    target,
    status: isFinalTcState(state) ? 'finished' : 'loading',
    state,
    revision: (before?.revision ?? 0) + 1,
    at: Date.parse(event.at),
  });
}

function matches(entity: EntitySummary, { id, target, state }: FindCall): boolean {
  return (
    (id === undefined || entity.id.includes(id) || entity.label?.includes(id) === true) &&
    (target === undefined || entity.target === target) &&
    (state === undefined || entity.state === state)
  );
}
