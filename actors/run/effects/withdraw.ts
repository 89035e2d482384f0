/**
 * Withdraws a telecommand that the log of its run announces and that may not have been submitted. It takes the
 * identifier in the order of the stream and of the lane: what is submitted under it later is a duplicate, and never
 * leaves (O2, O4). What was submitted before goes its way: then the withdrawal is the duplicate. Mission Control
 * Service, section 3.2.
 */

import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import type { Announced } from '../../../machines/run/protocol.ts';
import type { Bus } from '../../../ports/bus.ts';
import type { RunAtHand } from '../services.ts';
import { headersOf, submissionOf } from './send.ts';

/** Throws `Outage`; asked again it goes on. */
export async function withdraw(
  bus: Bus,
  announced: Announced,
  at: Pick<RunAtHand, 'run' | 'program' | 'by'>,
  withdrawn: string,
): Promise<void> {
  const { tc, statement } = announced;
  const body = { ...submissionOf(announced, at, { args: {} }), withdrawn };
  const data = Buffer.from(JSON.stringify(body));
  await bus.append(streams.telecommands, subject.tcSubmit(statement.target), data, {
    id: tc,
    headers: headersOf(at),
  });
}
