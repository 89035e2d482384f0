/**
 * Makes certain that no telecommand of a run leaves any more, before its targets are given back or taken from it.
 * Mission Control Service, section 3.2 (suspended and finished: leases released); ledger A-71.
 *
 * Z1. First its hold is marked as leaving: what reads the hold from then on sends nothing (`unheldReason`). A frame
 *     that leaves behind that was asked for before, so its `notAfter` is past within `FENCE_MS`.
 * Z2. A telecommand that was announced and is not in the log of telecommands is withdrawn: an append under way that
 *     lands later is a duplicate.
 * Z3. One that was ENCODED may be at its gateway. It is certain once it is known to have left or not, once the gateway
 *     has fenced the run, or once its time is over, whichever comes first. A gateway that knows no fence is waited for
 *     like a silent one.
 * Z6. Its gateway is the one that its history names, else the one of its link (telecommand/given-gateway.V1).
 * Z4. A run with nothing under way pays nothing for this.
 * Z5. Time alone makes nothing certain of a gateway that stopped between its last look at the clock and the hand-over
 *     to the kernel: what only time ended is given back, so that the log of the run names it.
 */

import { assertNever } from '../../contract/assert.ts';
import { header, NO_GATEWAY } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { FENCE_MS } from '../../contract/limits/telecommand.ts';
import { type FenceCall, readFenceReply } from '../../contract/link.ts';
import { Outage } from '../../contract/outage.ts';
import type { Program, ProgramNode, SendStatement } from '../../contract/program.ts';
import { readReply, textIn } from '../../contract/reply.ts';
import { readSendFailure } from '../../contract/telecommand.ts';
import { isSendOf, sendsOf } from '../../machines/run/sending.ts';
import { ask } from '../../messaging/ask.ts';
import { pause } from '../../messaging/pause.ts';
import type { Mission } from '../../mission/mission.ts';
import { gatewayOf } from '../../mission/resolve.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import { withdraw } from './effects/withdraw.ts';
import type { SentEvent } from './sendings.ts';

/** How often the log of a telecommand is looked at while its gateway is asked. */
const LOOK_MS = 50;
const ASK_AGAIN_MS = 100;

/** A run that stands down; its gateways are not asked where its program or the mission of that is gone. */
export interface StandsDown {
  readonly run: string;
  readonly by: string | undefined;
  readonly program: Program | undefined;
  readonly mission: Mission | undefined;
}

interface StandDown {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly run: StandsDown;
  /** What may be under way. */
  readonly open: readonly SentEvent[];
  /** Marks the hold of the run on these targets (Z1). */
  readonly mark: (targets: ReadonlySet<string>) => Promise<void>;
  readonly withinMs?: number;
}

/** A telecommand that no gateway has confirmed to hold back: nothing but its time is over (Z5). */
export interface Unconfirmed {
  readonly tc: string;
  readonly target: string;
  /** Empty where nobody knows which. */
  readonly gateways: readonly string[];
}

/**
 * Resolves when nothing can leave any more, with what only time made so (Z5). Throws `Outage`; asked again it goes on.
 */
export async function standDown(how: StandDown): Promise<readonly Unconfirmed[]> {
  const { bus, clock, open, mark } = how;
  const pending = await stillOpen(bus, clock, open);
  if (pending.length === 0) return [];
  await mark(new Set(pending.map(({ sent }) => sent.target)));
  for (const { sent, isKnown } of pending) if (!isKnown) await withdrawn(how, sent);
  // Behind the mark: what is not ENCODED by now will find it.
  const doubtful = (await stillOpen(bus, clock, open)).filter(({ isEncoded }) => isEncoded);
  const waited = await Promise.all(doubtful.map((pending) => certain(how, pending)));
  return waited.filter((each) => each !== undefined);
}

/** For people: `01J… to sat1 (gateway sim-1 does not answer)`. */
export function unconfirmedText({ tc, target, gateways }: Unconfirmed): string {
  const named =
    gateways.length === 0 ? 'its gateway is not known' : `gateway ${gateways.join(', ')} does not answer`;
  return `${tc} to ${target} (${named})`;
}

interface Pending {
  readonly sent: SentEvent;
  /** Whether the log of telecommands knows it. */
  readonly isKnown: boolean;
  /** Its gateway may have been asked. */
  readonly isEncoded: boolean;
  /** The gateway it was given, where that is not the one of its link (telecommand/given-gateway.V1). */
  readonly gateway?: string;
}

async function stillOpen(bus: Bus, clock: Clock, open: readonly SentEvent[]): Promise<Pending[]> {
  const looked = await Promise.all(open.map((sent) => look(bus, clock, sent)));
  return looked.filter((each) => each !== undefined);
}

/** Undefined when it has left or never will. */
async function look(bus: Bus, clock: Clock, sent: SentEvent): Promise<Pending | undefined> {
  const last = await bus.last(streams.telecommandEvents, subject.tcEvent(sent.target, sent.tc));
  if (last === undefined) return { sent, isKnown: false, isEncoded: false };
  const event = readReply(last.data);
  const gateway = last.headers[header.gateway];
  const given = gateway === undefined ? {} : { gateway };
  const [state, at] = [event && textIn(event, 'state'), event && textIn(event, 'at')];
  // What cannot be read may be anything: as if its gateway had been asked.
  if (state === undefined || at === undefined) return { sent, isKnown: true, isEncoded: true, ...given };
  if (state === 'PENDING' || state === 'ENCODED')
    return { sent, isKnown: true, isEncoded: state === 'ENCODED', ...given };
  if (state !== 'SEND_FAILED') return undefined;
  const failure = readSendFailure(last.headers[header.outcome]);
  if (failure?.outcome === 'refused' && failure.earlier === undefined) return undefined;
  const isOld = clock.now() - Date.parse(at) > FENCE_MS;
  return isOld ? undefined : { sent, isKnown: true, isEncoded: true, ...given };
}

/** Z2 */
async function withdrawn({ bus, run }: StandDown, sent: SentEvent): Promise<void> {
  const [statement] = statementsOf(run.program, sent);
  if (statement === undefined || run.program === undefined) return;
  const announced = { tc: sent.tc, path: sent.path, statement };
  const reason = 'withdrawn: its run was suspended or ended before it was submitted';
  await withdraw(bus, announced, { run: run.run, by: run.by, program: run.program }, reason);
}

/** Z3, Z5 */
async function certain(how: StandDown, { sent, gateway }: Pending): Promise<Unconfirmed | undefined> {
  const { clock, run, withinMs = FENCE_MS } = how;
  const given = gateway === undefined ? undefined : [gateway].filter((name) => name !== NO_GATEWAY);
  const gateways = given ?? [...gatewaysOf(run.program, run.mission, sent)];
  const over = new AbortController();
  try {
    return await Promise.race([
      pause(clock, withinMs, over.signal).then(() => ({ tc: sent.tc, target: sent.target, gateways })),
      fenced(how, sent, gateways, over.signal),
      ended(how, sent, over.signal),
    ]);
  } finally {
    over.abort('certain');
  }
}

async function ended({ bus, clock }: StandDown, sent: SentEvent, signal: AbortSignal): Promise<undefined> {
  while (!signal.aborted) {
    await pause(clock, LOOK_MS, signal);
    const pending = await look(bus, clock, sent).catch(unlessOutage);
    if (pending === undefined) return;
  }
}

async function fenced(
  how: StandDown,
  sent: SentEvent,
  gateways: readonly string[],
  signal: AbortSignal,
): Promise<undefined> {
  // Nobody to ask: time alone ends it.
  if (gateways.length === 0) await pause(how.clock, 2 * FENCE_MS, signal);
  await Promise.all(gateways.map((gateway) => fence(how, gateway, sent.target, signal)));
}

async function fence(how: StandDown, gateway: string, target: string, signal: AbortSignal): Promise<void> {
  const { bus, clock, run } = how;
  while (!signal.aborted) {
    const isFenced = await askToFence(bus, gateway, { target, run: run.run }).catch(unlessOutage);
    if (isFenced === true) return;
    await pause(clock, ASK_AGAIN_MS, signal);
  }
}

async function askToFence(
  bus: Bus,
  gateway: string,
  { target, run }: Pick<FenceCall, 'target' | 'run'>,
): Promise<boolean> {
  // Everything the run has submitted so far: what it submits under its next hold comes behind.
  const upTo = (await bus.last(streams.telecommands, subject.tcSubmit(target)))?.seq ?? 0;
  const call: FenceCall = { target, run, upTo };
  const to = subject.gatewayVerb(gateway, 'fence');
  const asked = await ask(bus, { to, call, read: readFenceReply, timeoutMs: FENCE_MS });
  switch (asked.outcome) {
    case 'answered':
      return asked.answer.fenced;
    // A gateway of others knows no fence, and is waited for like a silent one (Z3).
    case 'unreadable':
    case 'unserved':
    case 'unanswered':
      return false;
    default:
      return assertNever(asked);
  }
}

/** Nobody has answered: false, for what is asked again. */
function unlessOutage(error: unknown): false {
  if (error instanceof Outage) return false;
  throw error;
}

function gatewaysOf(
  program: Program | undefined,
  mission: Mission | undefined,
  sent: SentEvent,
): ReadonlySet<string> {
  const links = mission?.targets.get(sent.target)?.links;
  const names = statementsOf(program, sent).flatMap(({ link, environment }) => {
    const found = links?.get(link);
    if (mission === undefined || found === undefined) return [];
    return gatewayOf(mission, found, environment)?.name ?? [];
  });
  return new Set(names);
}

/** The statements of the program that the announcement may be of. */
function statementsOf(program: Program | undefined, sent: SentEvent): readonly SendStatement[] {
  return (program?.steps ?? []).flatMap(sendsIn).filter((send) => isSendOf(send, sent));
}

function sendsIn(node: ProgramNode): readonly SendStatement[] {
  if (node.kind === 'step' && node.statements !== undefined) return sendsOf(node);
  return (node.steps ?? []).flatMap(sendsIn);
}
