/**
 * What a launch writes on the bus, the same for everybody who launches runs: the program, its submission, the first
 * entry of the list. Mission Control Service, section 4.2 rule 5. Resolving it, and who may launch, is the launcher's
 * matter.
 *
 * U1. A launch is taken once its submission is stored: what is written after it (the list) may fail, its executor
 *     writes it again.
 * U2. A program outlives every log that names it: one launched again is written again when it is older than a day.
 */

import { buckets } from '../contract/bus/buckets.ts';
import { header } from '../contract/bus/headers.ts';
import { streams } from '../contract/bus/streams.ts';
import { subject } from '../contract/bus/subjects.ts';
import { Outage } from '../contract/outage.ts';
import type { RunSubmission, RunSummary } from '../contract/run.ts';
import type { Appended, Bus } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';

/** How old a stored program may be before a launch writes it again (U2). */
const PROGRAM_RENEW_MS = 24 * 3_600_000;

interface StoredProgram {
  /** SHA-256 (hexadecimal) of `canonical`. */
  readonly ir: string;
  readonly canonical: string;
}

/** Stores a program under its hash. Throws `Outage`. */
export async function storeProgram(bus: Bus, clock: Clock, { ir, canonical }: StoredProgram): Promise<void> {
  const bucket = bus.bucket(buckets.programs);
  const stored = await bucket.get(ir);
  if (stored !== undefined && clock.now() - stored.at < PROGRAM_RENEW_MS) return;
  // Whoever was faster wrote the same bytes.
  await bucket.put(ir, Buffer.from(canonical), stored?.revision ?? 0);
}

/** Submits a run under this message id; `config` is the revision it was resolved with. Throws `Outage`. */
export function submitRun(
  bus: Bus,
  submission: RunSubmission,
  { id, config }: { readonly id: string; readonly config: string },
): Promise<Appended> {
  const { by } = submission;
  const headers = { [header.config]: config, ...(by !== undefined && { [header.user]: by }) };
  const data = Buffer.from(JSON.stringify(submission));
  return bus.append(streams.runSubmissions, subject.runSubmit, data, { id, headers });
}

/** Lists a run that is submitted; the executor may have been faster, and then its entry stands (U1). */
export async function announceRun(bus: Bus, log: Log, summary: RunSummary): Promise<void> {
  const { run } = summary;
  try {
    await bus.bucket(buckets.runs).put(run, Buffer.from(JSON.stringify(summary)), 0);
  } catch (error) {
    if (!(error instanceof Outage)) throw error;
    log.warn({ run, err: error }, 'a run is launched and not yet in the list');
  }
}
