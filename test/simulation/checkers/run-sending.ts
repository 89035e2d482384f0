/**
 * What runs may send, and when: Mission Control Service, sections 2.3 (log), 3.2 and 4.1 rule 5. Where the bus lost
 * events out of the middle of a log, counting starts again: a decision or an attempt may be among them.
 */

import type { Program, ProgramNode } from '../../../contract/program.ts';
import type { Holder, TargetHolds } from '../../../contract/target-holds.ts';
import type { TcSubmission } from '../../../contract/telecommand.ts';
import { pathsOf, statementsOf } from '../../support/random-program.ts';
import type { History, RecordedEvent } from '../history.ts';
import { targetBehind } from '../mission.ts';
import { bodyOf, byRun, keyOf, type RecordedRunEvent } from '../run-history.ts';
import type { StoredMessage } from '../twin/stored-stream.ts';
import { behind, type Checker } from './checker.ts';
import { encodedFrames, recordedUplinks } from './telecommand-log.ts';

interface Submitted {
  readonly body: TcSubmission;
  readonly message: StoredMessage;
}

export const announcedBeforeSent: Checker = {
  name: 'announced-before-sent',
  overRewinds: 'complete',
  promise: 'a run submits no telecommand that its log has not announced before',
  *check({ runs, submissions }) {
    const announced = new Map(
      runs.events.flatMap(({ event, message, run }) =>
        event.event === 'telecommand_sent' ? [[`${run} ${event.tc}`, message.order] as const] : [],
      ),
    );
    for (const { body, message } of submissionsOfRuns(submissions)) {
      const order = announced.get(`${body.run} ${body.id}`);
      if (order === undefined) yield `${body.run} submitted ${body.id}, which its log does not know`;
      else if (order > message.order) yield `${body.run} submitted ${body.id} before its log said so`;
    }
  },
};

export const repeatedByPeopleOnly: Checker = {
  name: 'repeated-by-people-only',
  overRewinds: 'kept',
  promise: 'a step that has changed the state is begun again only once a person chose replay behind it',
  *check({ runs }) {
    for (const [run, log] of byRun(runs.events)) {
      const changedAt = new Map<string, number>();
      let [replayAt, last] = [0, 0];
      for (const { event } of log) {
        if (event.seq > last + 1) changedAt.clear();
        last = event.seq;
        if (event.event === 'telecommand_sent' && event.changes_state) changedAt.set(event.path, event.seq);
        if (isReplay(event)) replayAt = event.seq;
        const changed = event.event === 'step_started' ? changedAt.get(event.path) : undefined;
        if (changed !== undefined && changed > replayAt)
          yield `${run}: event ${event.seq} begins a step again that changed the state at ${changed}`;
      }
    }
  },
};

export const noMoreThanWritten: Checker = {
  name: 'no-more-than-written',
  overRewinds: 'kept',
  promise: 'an attempt of a step sends no more telecommands that change the state than its program has',
  *check({ runs }) {
    for (const [run, log] of byRun(runs.events)) {
      const program = programOf(runs, log);
      if (program === undefined) continue;
      const most = changesByPath(program.steps);
      const sent = new Map<string, number>();
      let last = 0;
      for (const { event } of log) {
        if (event.seq > last + 1) sent.clear();
        last = event.seq;
        if (event.event === 'step_started') sent.delete(event.path);
        if (event.event !== 'telecommand_sent' || !event.changes_state) continue;
        const count = (sent.get(event.path) ?? 0) + 1;
        sent.set(event.path, count);
        if (count > (most.get(event.path) ?? 0))
          yield `${run}: event ${event.seq} is sending ${count} of ${most.get(event.path) ?? 0} at ${event.path}`;
      }
    }
  },
};

export const quietWhileSuspended: Checker = {
  name: 'quiet-while-suspended',
  promise: 'what a suspended run would submit never leaves',
  *check({ runs, submissions, events, uplinks }) {
    const left = new Set(uplinks.map(({ gateway, frame }) => `${targetBehind(gateway)} ${frame}`));
    const frames = framesByTelecommand(events);
    const pauses = pausesOf(byRun(runs.events));
    for (const { body, message } of submissionsOfRuns(submissions)) {
      const within = (pauses.get(body.run ?? '') ?? []).find(
        ([from, to]) => from < message.order && message.order < to,
      );
      const hasLeft = (frames.get(body.id) ?? []).some((frame) => left.has(frame));
      if (within !== undefined && hasLeft)
        yield `${body.run} submitted ${body.id} while it was suspended, and it left`;
    }
  },
};

export const withdrawnStays: Checker = {
  name: 'withdrawn-stays',
  promise: 'what a run had announced and not submitted when another owner took it up never leaves',
  *check({ runs, submissions, events, uplinks }) {
    const left = new Set(uplinks.map(({ gateway, frame }) => `${targetBehind(gateway)} ${frame}`));
    const frames = framesByTelecommand(events);
    const announced = new Map<string, RecordedRunEvent>();
    for (const each of runs.events)
      if (each.event.event === 'telecommand_sent') announced.set(each.event.tc, each);
    for (const { body, message } of submissionsOfRuns(submissions)) {
      const first = announced.get(body.id);
      if (first === undefined || !(frames.get(body.id) ?? []).some((frame) => left.has(frame))) continue;
      const between = runs.events.find(
        ({ event, run, message: { order } }) =>
          event.event === 'taken_over' &&
          run === body.run &&
          first.message.order < order &&
          order < message.order,
      );
      if (between !== undefined)
        yield `${body.run} was taken over at ${between.event.seq} before it submitted ${body.id}, and it left`;
    }
  },
};

export const soundLeases: Checker = {
  name: 'sound-leases',
  overRewinds: 'kept-if-even',
  promise: 'nobody holds a target beside an exclusive holder, and what is over holds nothing',
  *check({ runs }) {
    for (const message of runs.leases) {
      const holders = holdersIn(message);
      if (holders.length > 1 && holders.some(({ mode }) => mode === 'exclusive'))
        yield `${keyOf(message)} is held by ${JSON.stringify(holders)} at ${message.seq}`;
    }
    for (const [target, message] of new Map(runs.leases.map((each) => [keyOf(each), each])))
      for (const { run } of holdersIn(message)) yield `${target} is still held by ${run}`;
  },
};

export const sendsWhatItHolds: Checker = {
  name: 'sends-what-it-holds',
  promise:
    'a run announces telecommands only to targets that it holds, as its program asks for them; what it announces when a reaction has just taken one never leaves',
  *check({ runs, events, uplinks }) {
    const left = new Set(uplinks.map(({ gateway, frame }) => `${targetBehind(gateway)} ${frame}`));
    const frames = framesByTelecommand(events);
    for (const [run, log] of byRun(runs.events)) {
      const program = programOf(runs, log);
      for (const { event, message } of log) {
        if (event.event !== 'telecommand_sent') continue;
        const mode = program?.leases.find(({ target }) => target === event.target)?.mode;
        const held = holdersAt(runs.leases, event.target, message.order);
        if (held.some((holder) => holder.run === run && holder.mode === mode)) continue;
        const hasLeft = (frames.get(event.tc) ?? []).some((frame) => left.has(frame));
        if (hasLeft || !isTaken(runs.leases, event.target, run, message.order))
          yield `${run}: event ${event.seq} sends to ${event.target}, held by ${JSON.stringify(held)}`;
      }
    }
  },
};

export const insideItsHold: Checker = {
  name: 'inside-its-hold',
  overRewinds: 'complete-if-even',
  promise:
    'a telecommand of a run leaves while that run holds its target, by the hold it was submitted under, and before its log says that it is suspended or over',
  *check({ runs, submissions, events, uplinks }) {
    const sent = new Map(submissionsOfRuns(submissions).map((each) => [each.body.id, each]));
    const recordedOf = recordedUplinks(events);
    const pauses = pausesOf(byRun(runs.events));
    for (const uplink of uplinks) {
      const order = behind(uplink.order);
      const recorded = recordedOf(uplink);
      const found = recorded && sent.get(recorded.id);
      if (found === undefined) continue;
      const { run = '', id, target } = found.body;
      const held = holdersAt(runs.leases, target, order);
      const hold = held.find((holder) => holder.run === run);
      if (hold === undefined) yield `${id} of ${run} left for ${target}, held by ${JSON.stringify(held)}`;
      else if (found.message.seq <= (hold.from ?? 0))
        yield `${id} of ${run}, submission ${found.message.seq}, left under a hold taken at ${hold.from}`;
      const within = (pauses.get(run) ?? []).some(([from, to]) => from < order && order < to);
      const isOver = runs.events.some(
        (each) => each.run === run && each.event.event === 'finished' && stoodAt(each.message, order),
      );
      if (within || isOver) yield `${id} left when ${run} was ${isOver ? 'over' : 'suspended'}`;
    }
  },
};

export const strangersKeptOut: Checker = {
  name: 'strangers-kept-out',
  promise:
    'a direct telecommand that changes the state, submitted while a run holds its target, never leaves',
  *check({ runs, submissions, asked, events, uplinks }) {
    const left = new Set(uplinks.map(({ gateway, frame }) => `${targetBehind(gateway)} ${frame}`));
    const frames = framesByTelecommand(events);
    for (const message of submissions) {
      const body = bodyOf<TcSubmission>(message);
      if (body.run !== undefined || asked.get(body.id)?.changesState !== true) continue;
      const uplinked = uplinks.filter(({ gateway, frame }) =>
        (frames.get(body.id) ?? []).includes(`${targetBehind(gateway)} ${frame}`),
      );
      if (!(frames.get(body.id) ?? []).some((frame) => left.has(frame))) continue;
      // Watches are late by what faults delay them: a hold that lasted the whole time is one that everybody saw.
      const from = holdersAt(runs.leases, body.target, message.order, message.at - SEEN_AFTER_MS);
      const to = holdersAt(runs.leases, body.target, behind(uplinked[0]!.order));
      const stayed = from.filter((holder) => to.some(({ run }) => run === holder.run));
      if (stayed.length > 0) yield `${body.id} left although ${JSON.stringify(stayed)} held ${body.target}`;
    }
  },
};

/** Longest that a fault keeps a hold from those that watch it. */
const SEEN_AFTER_MS = 20_000;

function isReplay(event: RecordedRunEvent['event']): boolean {
  if (event.event === 'continued') return event.choice === 'replay';
  return event.event === 'answered' && event.accepted && event.value === 'replay';
}

function submissionsOfRuns(submissions: History['submissions']): Submitted[] {
  return submissions
    .map((message) => ({ message, body: bodyOf<TcSubmission>(message) }))
    .filter(({ body }) => body.run !== undefined);
}

function programOf(runs: History['runs'], log: readonly RecordedRunEvent[]): Program | undefined {
  const first = log[0]?.event;
  return first?.event === 'started' ? runs.programs.get(first.ir) : undefined;
}

/** Sendings that change the state, by the path of their step. */
function changesByPath(nodes: readonly ProgramNode[]): Map<string, number> {
  const leaves = nodes.flatMap(function leavesOf(node): ProgramNode[] {
    return node.kind === 'step' && node.statements !== undefined
      ? [node]
      : (node.steps ?? []).flatMap(leavesOf);
  });
  return new Map(
    leaves.map((leaf) => {
      const sends = statementsOf([leaf]).flatMap((statement) => {
        if (statement.kind === 'configure') return statement.setters;
        return statement.kind === 'send' ? [statement] : [];
      });
      return [pathsOf([leaf])[0] ?? '', sends.filter(({ changesState }) => changesState).length];
    }),
  );
}

/** When each run was suspended, in places among what was stored. */
function pausesOf(logs: ReadonlyMap<string, readonly RecordedRunEvent[]>): Map<string, [number, number][]> {
  const pauses = new Map<string, [number, number][]>();
  for (const [run, log] of logs) {
    const ofRun: [number, number][] = [];
    for (const [n, { event, message }] of log.entries()) {
      if (event.event !== 'suspended') continue;
      const end = log
        .slice(n)
        .find((each) => each.event.event === 'continued' || each.event.event === 'finished');
      const until = Math.min(
        end?.message.order ?? Number.POSITIVE_INFINITY,
        message.lostAt ?? Number.POSITIVE_INFINITY,
      );
      ofRun.push([message.order, until]);
    }
    pauses.set(run, ofRun);
  }
  return pauses;
}

function framesByTelecommand(events: readonly RecordedEvent[]): Map<string, string[]> {
  const frames = new Map<string, string[]>();
  for (const [frame, { id }] of encodedFrames(events)) frames.set(id, [...(frames.get(id) ?? []), frame]);
  return frames;
}

/** Who held the target at a place among what was stored, and since when at the latest. */
function holdersAt(
  leases: readonly StoredMessage[],
  target: string,
  order: number,
  since = Number.POSITIVE_INFINITY,
): readonly Holder[] {
  const last = leases.findLast((message) => keyOf(message) === target && stoodAt(message, order));
  return last === undefined || last.at > since ? [] : holdersIn(last);
}

/** Whether it was stored by then, and not lost again. */
function stoodAt({ order, lostAt = Number.POSITIVE_INFINITY }: StoredMessage, at: number): boolean {
  return order < at && at < lostAt;
}

/** Whether a reaction had taken the target from the run by then. */
function isTaken(leases: readonly StoredMessage[], target: string, run: string, order: number): boolean {
  const last = leases.findLast((message) => keyOf(message) === target && message.order < order);
  if (last === undefined || last.removal || last.data.length === 0) return false;
  return (bodyOf<TargetHolds>(last).taken ?? []).some((each) => each.run === run);
}

function holdersIn(message: StoredMessage): readonly Holder[] {
  return message.removal || message.data.length === 0 ? [] : bodyOf<TargetHolds>(message).holders;
}
