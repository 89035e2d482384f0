/**
 * Has the runs suspended that a reaction took its target from. Mission Control Service, section 3.2 (alarm reaction)
 * and section 4.4 reaction rule 5.
 *
 * Y1. The holder of the run is asked first, so that it stops before its telecommands are refused. Whether it answers or
 *     not, the hold is taken next (leases.B5): a run that does not answer sends nothing either.
 * Y2. Where nobody answers, the pending suspension stands in the entry of the open run, and the next owner suspends the
 *     run before it continues.
 * Y3. The reaction waits for the suspension only so long: it is not kept from its target by an executor that is dead.
 */

import { assertNever } from '../../contract/assert.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { REACTION_ASK_MS, REACTION_LOOK_MS, REACTION_PREEMPT_MS } from '../../contract/limits/alarm.ts';
import { type ControlCall, readControlReply } from '../../contract/run-wire.ts';
import { ask } from '../../messaging/ask.ts';
import { pause } from '../../messaging/pause.ts';
import { OpenRuns, shardOf } from './open-runs.ts';
import { RunRest } from './rest.ts';
import type { RunServices } from './services.ts';

/** A run that received the command is suspended within two writes to the bus. */
const SOON_MS = 20;

interface Preemption {
  /** `alarm <key>` */
  readonly by: string;
  readonly services: Pick<RunServices, 'bus' | 'clock' | 'log'>;
  /** Whether the reaction is still this process's: one that slept suspends nobody any more. */
  readonly isOwner: () => boolean;
  readonly signal: AbortSignal;
}

/**
 * Asks whoever holds these runs to interrupt them; those that are being suspended now. Throws `Outage` of the bus
 * itself.
 */
export async function interruptAll(
  runs: Iterable<string>,
  { by, services, isOwner }: Preemption,
): Promise<ReadonlySet<string>> {
  const asked = [...new Set(runs)].map(async (run) =>
    isOwner() && (await isAccepted(services, run, { action: 'suspend', by, reaction: true })) ? [run] : [],
  );
  return new Set((await Promise.all(asked)).flat());
}

/** Resolves when every run is suspended or over, or its time for that is. Throws `Outage` while the bus is away. */
export async function preemptAll(
  runs: Iterable<string>,
  how: Preemption,
  told: ReadonlySet<string> = new Set(),
): Promise<void> {
  await Promise.all([...runs].map((run) => preempt(run, how, told.has(run))));
}

async function preempt(
  run: string,
  { by, services, isOwner, signal }: Preemption,
  wasTold: boolean,
): Promise<void> {
  const { bus, clock, log } = services;
  const openRuns = new OpenRuns(bus, shardOf(run));
  const until = clock.now() + REACTION_PREEMPT_MS;
  const rest = new RunRest(bus, run);
  let isTold = wasTold;
  let isWished = false;
  while (!signal.aborted && isOwner()) {
    if (await rest.now()) return isWished ? openRuns.unwish(run, by) : undefined;
    if (clock.now() >= until)
      return log.warn({ run, by }, 'its target is taken, and its executor has not suspended it yet');
    isTold ||= isOwner() && (await isAccepted(services, run, { action: 'suspend', by, reaction: true }));
    if (!isTold && !isWished && isOwner()) {
      isWished = true;
      await openRuns.wish(run, by);
    }
    await pause(clock, isTold ? SOON_MS : REACTION_LOOK_MS, signal);
  }
}

/** Whether the holder of the run suspends it now; without an answer it is asked again, or left pending (Y2). */
async function isAccepted({ bus }: Preemption['services'], run: string, call: ControlCall): Promise<boolean> {
  const to = subject.runControl(run);
  const asked = await ask(bus, { to, call, read: readControlReply, timeoutMs: REACTION_ASK_MS });
  switch (asked.outcome) {
    case 'answered':
      return asked.answer.outcome === 'accepted';
    case 'unserved':
    case 'unanswered':
    case 'unreadable':
      return false;
    default:
      return assertNever(asked);
  }
}
