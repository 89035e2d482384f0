/**
 * Commands to a run (suspend, resume, abort) are asked of whoever holds it until it is known what became of them.
 * Mission Control Service, section 4.2 rule 7.
 *
 * Q1. An executor that sleeps or leaves does not answer for the run: within `RUN_CONTROL_MS` the command is asked
 *     again, of whoever holds the run by then, under one identifier, so that an executor which has it already joins the
 *     two.
 * Q2. Each may be asked again. Suspensions and aborts come to the same. A resumption says which events the log had when
 *     it was asked for: a run that was suspended again since then stays suspended.
 * Q3. What the log shows of the command is its answer, whatever an executor was able to say.
 * Q4. A run that has no executor when it is first asked is held by nobody: nothing was asked, and nothing will come of
 *     it. What reached nobody while the bus settles (ask.Q4) is no asking: the first one behind it counts.
 * Q5. So is a run whose log has ended, once nobody answers for it any more: its executor may have been on its way out
 *     when it was first asked.
 */

import { assertNever } from '../contract/assert.ts';
import { header } from '../contract/bus/headers.ts';
import { subject } from '../contract/bus/subjects.ts';
import { RUN_ASK_MS, RUN_ASK_PAUSE_MS, RUN_CONTROL_MS } from '../contract/limits/run.ts';
import type { RunEvent } from '../contract/run-event.ts';
import { type ControlCall, type ControlReply, readControlReply } from '../contract/run-wire.ts';
import { ask } from '../messaging/ask.ts';
import type { RoutePorts } from './ports.ts';
import { lastEventNumber, readLog } from './run-record.ts';

type ControlPorts = Pick<RoutePorts, 'bus' | 'clock' | 'newId'>;

/** What one asking came to; `silent`: it settles nothing; `nobody yet`: it reached nobody, and that settles nothing. */
type Answered = ControlReply | 'unheld' | 'nobody yet' | 'silent';

/** What became of the command. Throws `Outage` while the bus is away. */
export async function askHolder(run: string, call: ControlCall, ports: ControlPorts): Promise<ControlReply> {
  const { clock, newId } = ports;
  const until = clock.now() + RUN_CONTROL_MS;
  const seen = await lastEventNumber(run, ports);
  const headers = { [header.request]: newId(), [header.seen]: String(seen) };
  for (let isFirst = true; ; ) {
    const began = clock.now();
    const timeoutMs = Math.max(1, Math.min(RUN_ASK_MS, until - began));
    const reply = await askOnce(run, call, { ...ports, headers, timeoutMs });
    if (isFirst && reply === 'unheld') return { outcome: 'over' };
    const isSaid = typeof reply === 'object' && reply.outcome !== 'unknown';
    if (isSaid && (isFirst || reply.outcome === 'accepted')) return reply;
    if (await isCarriedOut(run, call, seen, ports)) return { outcome: 'accepted' };
    if (typeof reply === 'object' && !isToBeAskedAgain(reply)) return reply;
    if (reply === 'unheld' && (await hasEnded(run, ports))) return { outcome: 'over' };
    isFirst &&= reply === 'nobody yet';
    if (clock.now() >= until) return unsaid;
    if (clock.now() - began < RUN_ASK_PAUSE_MS) await pause(ports, RUN_ASK_PAUSE_MS);
  }
}

const unsaid: ControlReply = {
  outcome: 'unknown',
  reason: `no executor has answered for it within ${RUN_CONTROL_MS / 1000} s`,
};

interface Asking extends ControlPorts {
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** Throws `Outage` while the bus is away. */
async function askOnce(run: string, call: ControlCall, asking: Asking): Promise<Answered> {
  const { bus, headers, timeoutMs } = asking;
  const to = subject.runControl(run);
  const asked = await ask(bus, { to, call, read: readControlReply, timeoutMs, headers });
  switch (asked.outcome) {
    case 'answered':
      return asked.answer;
    case 'unserved':
      return 'unheld';
    case 'unanswered':
      return asked.mayBeDone ? 'silent' : 'nobody yet';
    case 'unreadable':
      return 'silent';
    default:
      return assertNever(asked);
  }
}

/** An executor that has the command and cannot say yet has had its time. */
function isToBeAskedAgain(reply: ControlReply): boolean {
  return reply.outcome === 'unknown' && reply.again === true;
}

/** Q3: whether the log shows, behind what it had, that it was done. */
async function isCarriedOut(
  run: string,
  call: ControlCall,
  seen: number,
  ports: ControlPorts,
): Promise<boolean> {
  if ((await lastEventNumber(run, ports)) <= seen) return false;
  return (await readLog(run, ports)).some((event) => event.seq > seen && shows(event, call));
}

/** Q5 */
async function hasEnded(run: string, ports: ControlPorts): Promise<boolean> {
  return (await readLog(run, ports)).some(({ event }) => event === 'finished');
}

/** A suspension by anybody is the one that was asked for, and so is an abort. */
function shows(event: RunEvent, call: ControlCall): boolean {
  switch (call.action) {
    case 'suspend':
      return event.event === 'suspended';
    case 'abort':
      return isAbort(event);
    case 'resume':
      if (call.choice === 'abort') return isAbort(event);
      return event.event === 'continued' && event.by === call.by && event.choice === call.choice;
  }
}

function isAbort(event: RunEvent): boolean {
  return event.event === 'finished' && event.reason?.startsWith('aborted by ') === true;
}

function pause({ clock }: ControlPorts, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.setTimeout(() => resolve(), ms));
}
