/**
 * Direct telecommands: submission and the two follow routes. Mission Control Service, sections 2.1 and 4.1. Submitting
 * means resolved, checked against the holds of runs and stored on the bus; what becomes of it is the executor's matter.
 *
 * T1. `duplicate` is true exactly when the identifier is known to be submitted: by the stream inside its window, by the
 *     history of the telecommand past it (O4). The executor guards once more behind both.
 *     Of what may have left the history by its age the archives are asked (`http/past-telecommand.ts`).
 * T2. A retry of a telecommand that was taken never looks refused: a refusal asks the history first, and what waits to
 *     be taken up (MC-TC-063). Where too many are waiting to check that, the answer is 503.
 */

import { decodeTime } from 'ulid';
import { assert } from '../../contract/assert.ts';
import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { Outage } from '../../contract/outage.ts';
import {
  readTcEvent,
  type TcEvent,
  TcEvent as TcEventSchema,
  TcReply,
  TcRequest,
} from '../../contract/telecommand.ts';
import { isFinalTcState } from '../../contract/telecommand-state.ts';
import { isToken, isUlid } from '../../contract/token.ts';
import { busAnswers } from '../../messaging/bus-answers.ts';
import type { Mission } from '../../mission/mission.ts';
import { type ResolvedTelecommand, resolveTelecommand, submissionOf } from '../../mission/resolve.ts';
import type { Headers, StreamMessage } from '../../ports/bus.ts';
import { recognizedMs } from '../../ports/id-window.ts';
import type { Caller } from '../caller.ts';
import { busUnavailable, invalidId, refuse } from '../errors.ts';
import { closeCode, defineFollow, type FollowSource, type FollowWriter } from '../follow.ts';
import { nameOf } from '../identity.ts';
import { currentMission, unknownTarget } from '../mission-of.ts';
import { targetInPath, targetInQuery, telecommandInPath } from '../parameters.ts';
import { isWhole, mayHaveLeft, pastEvents } from '../past-telecommand.ts';
import type { RoutePorts } from '../ports.ts';
import type { Handled, Refusal, Reply } from '../reply.ts';
import { defineRoute } from '../route.ts';
import { isWaiting } from '../waiting-telecommand.ts';

/** Every refusal of resolution (section 7.3). */
export const RESOLUTION_ERRORS = [
  'tc::unknown-target',
  'tc::missing-catalogue',
  'tc::unknown-link',
  'tc::unknown-environment',
  'tc::environment-required',
  'tc::link-component',
  'tc::unknown-telecommand',
  'tc::ambiguous-telecommand',
  'tc::missing-instance',
  'tc::unexpected-instance',
  'tc::unknown-instance',
  'tc::unexpected-argument',
  'tc::missing-argument',
  'tc::invalid-argument',
  'tc::out-of-range',
] as const;

export const submitTelecommand = defineRoute({
  method: 'POST',
  path: '/v1/tc',
  operationId: 'submitTelecommand',
  summary: 'Submit a direct telecommand',
  description:
    'Resolved against the current configuration and stored on the bus; its progress is in ' +
    '`GET /v1/tc/{target}/{id}/events`. A repetition with the same `id` sends nothing new and answers `duplicate: true`, ' +
    'so a request without an answer may be repeated.',
  tag: 'Telecommands',
  body: TcRequest,
  replies: { 202: TcReply },
  recorded: (body, reply) => ({ subject: (reply as TcReply).id, data: body }),
  errors: [
    'api::invalid-id',
    'api::no-configuration',
    ...RESOLUTION_ERRORS,
    'tc::target-held',
    'api::unavailable',
  ],
  handle: ({ body, caller }, ports) => submitDirect(body, caller, ports),
});

/** A direct telecommand as it is asked for: resolved, checked against the holds of runs, stored, answered. */
export async function submitDirect(
  request: TcRequest,
  caller: Caller,
  ports: RoutePorts,
): Promise<Handled<Reply>> {
  const { id, target } = request;
  if (id !== undefined && !isUlid(id)) return invalidId(id);
  const mission = currentMission(ports);
  if (!mission.ok) return mission;
  const resolved = resolveTelecommand(mission.value, request);
  if (!resolved.ok) return refusedUnlessKnown(resolved, request, ports);
  const held = await heldAgainst(resolved.value, ports);
  if (held !== undefined) return refusedUnlessKnown(held, request, ports);
  if (id !== undefined && mayHaveLeftTheWindow(id, ports)) {
    const known = await isKnown(target, id, ports);
    if (!known.ok) return known;
    if (known.value) return accepted(id, true);
  }
  return submit(id ?? ports.newId(), resolved.value, mission.value, caller, ports);
}

export const followTelecommand = defineFollow({
  path: '/v1/tc/:target/:id/events',
  operationId: 'followTelecommand',
  summary: 'Replay and follow the events of one telecommand; closes after its final state',
  description:
    'Opens also for an identifier that is not submitted yet, and waits. What has left the bus by its age is replayed from ' +
    'the archive.',
  tag: 'Telecommands',
  params: { target: targetInPath, id: telecommandInPath },
  policy: 'log',
  message: TcEventSchema,
  errors: ['api::unknown-target', 'api::unavailable'],
  async open({ params: { target, id } }, ports, writer) {
    if (!busAnswers(ports.bus)) return busUnavailable();
    const stranger = await unknownAndUnheardOf(target, id, ports);
    if (stranger !== undefined) return stranger;
    const past = await wholePast(target, id, ports);
    if (!past.ok) return past;
    if (past.value !== undefined) return replayed(past.value, writer);
    let final = false;
    let last = '';
    const about = subject.tcEvent(target, id);
    const follower = await ports.bus.follow(
      streams.telecommandEvents,
      about,
      { from: 'start' },
      (message) => {
        const event = readEvent(message, ports);
        if (event !== undefined) {
          last = event.state;
          final ||= isFinalTcState(event.state);
          writer.push(message.data);
        }
        // An echo may follow the final state in the history (MC-TC-045), so the end is where nothing more is recorded.
        if (final && message.pending === 0) writer.finish(closeCode.finished, last);
        return writer.room();
      },
    );
    return { ok: true, value: follower };
  },
});

export const watchTelecommands = defineFollow({
  path: '/v1/tc/watch',
  operationId: 'watchTelecommands',
  summary: 'Follow every telecommand of a target, or of all, from now',
  description: 'Each event carries its target.',
  tag: 'Telecommands',
  query: { target: targetInQuery },
  policy: 'log',
  message: TcEventSchema,
  errors: ['api::unknown-target', 'api::unavailable'],
  async open({ query: { target } }, ports, writer) {
    const mission = ports.missions.current;
    if (target !== undefined && mission !== undefined && !mission.targets.has(target)) {
      return unknownTarget(target, mission);
    }
    if (!busAnswers(ports.bus)) return busUnavailable();
    const about = subject.tcEvents(target);
    const follower = await ports.bus.follow(streams.telecommandEvents, about, { from: 'now' }, (message) => {
      const [, , , from] = message.subject.split('.');
      const event = readEvent(message, ports);
      if (event !== undefined) writer.push(JSON.stringify({ ...event, target: from }));
    });
    return { ok: true, value: follower };
  },
});

async function submit(
  id: string,
  resolved: ResolvedTelecommand,
  mission: Mission,
  caller: Caller,
  ports: RoutePorts,
): Promise<Handled<Reply>> {
  const user = nameOf(caller);
  const appended = await ports.bus.append(
    streams.telecommands,
    subject.tcSubmit(resolved.target.name),
    Buffer.from(JSON.stringify(submissionOf(id, resolved))),
    { id, headers: headersOf(mission, user) },
  );
  assert(appended.outcome !== 'conflict', 'T1');
  return accepted(id, appended.outcome === 'duplicate');
}

function headersOf({ revision }: Mission, user: string | undefined): Headers {
  const config = { [header.config]: revision };
  return user === undefined ? config : { ...config, [header.user]: user };
}

function accepted(id: string, duplicate: boolean): Handled<Reply> {
  return { ok: true, value: { status: 202, body: { id, duplicate } satisfies TcReply } };
}

async function heldAgainst(
  { target, telecommand }: ResolvedTelecommand,
  ports: RoutePorts,
): Promise<Refusal | undefined> {
  const reason = await ports.holds.against(target.name, telecommand.changesState);
  if (reason === undefined) return undefined;
  return refuse('tc::target-held', `target ${reason}`, {
    help: 'Wait for the end of the run, suspend it or abort it.',
  });
}

/**
 * The time inside an identifier reports how long ago it was drawn. A time ahead of ours says nothing, so the history is
 * asked.
 */
function mayHaveLeftTheWindow(id: string, { bus, clock }: RoutePorts): boolean {
  const drawnMs = decodeTime(id);
  const nowMs = clock.now();
  return drawnMs > nowMs || nowMs - drawnMs > recognizedMs(bus, streams.telecommands);
}

/** Refused where that cannot be known. */
async function isKnown(target: string, id: string, ports: RoutePorts): Promise<Handled<boolean>> {
  const last = await lastEvent(target, id, ports);
  if (last !== undefined || !(await mayHaveLeft(id, ports))) return { ok: true, value: last !== undefined };
  const past = await pastEvents(target, id, ports);
  return past.ok ? { ok: true, value: past.value.length > 0 } : past;
}

/** The events of a telecommand that is over and may have left the bus; undefined where the bus has it. */
async function wholePast(
  target: string,
  id: string,
  ports: RoutePorts,
): Promise<Handled<readonly TcEvent[] | undefined>> {
  if (!(await mayHaveLeft(id, ports))) return { ok: true, value: undefined };
  const past = await pastEvents(target, id, ports);
  if (past.ok) return { ok: true, value: isWhole(past.value) ? past.value : undefined };
  const last = await lastEvent(target, id, ports);
  return last === undefined ? past : { ok: true, value: undefined };
}

function replayed(events: readonly TcEvent[], writer: FollowWriter): Handled<FollowSource> {
  for (const event of events) writer.push(JSON.stringify(event));
  writer.finish(closeCode.finished, events.at(-1)!.state);
  return { ok: true, value: { stop: async () => undefined } };
}

/** T2. While the bus is away the refusal stands: it comes first in the order of checks. */
async function refusedUnlessKnown(
  refusal: Refusal,
  { target, id }: TcRequest,
  ports: RoutePorts,
): Promise<Handled<Reply>> {
  if (id === undefined || !isToken(target)) return refusal;
  try {
    const known = await isKnown(target, id, ports);
    if (known.ok && known.value) return accepted(id, true);
    const waits = await isWaiting(target, id, ports.bus);
    if (waits === undefined) return tooManyWait(target, id);
    // Meanwhile it may have been taken up.
    const isTaken = waits || (await lastEvent(target, id, ports)) !== undefined;
    return isTaken ? accepted(id, true) : refusal;
  } catch (error) {
    if (error instanceof Outage) return refusal;
    throw error;
  }
}

function tooManyWait(target: string, id: string): Refusal {
  const why = `too many telecommands of ${target} are waiting to check whether ${id} is among them`;
  return refuse('api::unavailable', why, { help: 'Try again when fewer are waiting.' });
}

const lastEvent = (target: string, id: string, { bus }: RoutePorts): Promise<StreamMessage | undefined> =>
  bus.last(streams.telecommandEvents, subject.tcEvent(target, id));

/** A target may have left the topology and still have its history; only without both is it unknown. */
async function unknownAndUnheardOf(
  target: string,
  id: string,
  ports: RoutePorts,
): Promise<Handled<never> | undefined> {
  const mission = ports.missions.current;
  if (mission === undefined || mission.targets.has(target)) return undefined;
  const known = await isKnown(target, id, ports);
  if (!known.ok) return known;
  return known.value ? undefined : unknownTarget(target, mission);
}

/** What is no event is left out: thrown, it would be handed over for ever, and nobody would see what is behind it. */
function readEvent({ data, seq, subject: about }: StreamMessage, { log }: RoutePorts): TcEvent | undefined {
  const event = readTcEvent(data);
  if (event === undefined)
    log.error({ position: seq, subject: about }, 'malformed telecommand event skipped');
  return event;
}

export const telecommandRoutes = [submitTelecommand];
export const telecommandFollows = [followTelecommand, watchTelecommands];
