/**
 * What a launch writes on the bus, the same for everybody who launches runs: the program, its submission, the first
 * entry of the list. Mission Control Service, section 4.2 rule 5. Resolving it, and who may launch, is the launcher's
 * matter.
 *
 * U1. A launch is taken once its submission is stored: what is written after it (the list) may fail, its executor
 *     writes it again.
 * U2. A program outlives every log that names it: one launched again is written again when it is older than a day, or
 *     damaged.
 */

import { buckets, objectStores } from '../contract/bus/buckets.ts';
import { header } from '../contract/bus/headers.ts';
import { streams } from '../contract/bus/streams.ts';
import { subject } from '../contract/bus/subjects.ts';
import { Outage } from '../contract/outage.ts';
import type { RunRequest, RunSummary } from '../contract/run.ts';
import type { RunSubmission } from '../contract/run-wire.ts';
import { isUlid } from '../contract/token.ts';
import type { Mission } from '../mission/mission.ts';
import { hashesIn } from '../mission/procedure/resolve-run.ts';
import type { Appended, Bus, Entry, StreamMessage } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { compressed } from './compressed.ts';
import { readStoredProgram } from './stored-program.ts';

/** How old a stored program may be before a launch writes it again (U2). */
const PROGRAM_RENEW_MS = 24 * 3_600_000;

interface StoredProgram {
  /** SHA-256 (hexadecimal) of `canonical`. */
  readonly ir: string;
  readonly canonical: string;
}

/** Stores a program under its hash, compressed if it is large. Throws `Outage`, and `TooLarge` for the bus. */
export async function storeProgram(bus: Bus, clock: Clock, { ir, canonical }: StoredProgram): Promise<void> {
  const bucket = bus.bucket(buckets.programs);
  const bytes = compressed(Buffer.from(canonical));
  // Most are new, and to ask for what the bus does not have is a search of the whole bucket: it is written first.
  if ((await bucket.put(ir, bytes, 0)).outcome === 'written') return;
  const stored = await bucket.get(ir);
  if (stored !== undefined && !isOld(stored, clock) && Buffer.compare(stored.value, bytes) === 0) return;
  // Whoever was faster wrote the same bytes.
  await bucket.put(ir, bytes, stored?.revision ?? 0);
}

/**
 * Whether a program that was stored for a later launch is there: if so it is kept as one that is launched now (U2).
 * Throws `Outage`.
 */
export async function keepProgram(bus: Bus, clock: Clock, ir: string): Promise<boolean> {
  const bucket = bus.bucket(buckets.programs);
  const stored = await bucket.get(ir);
  if (stored === undefined || typeof readStoredProgram(stored.value, ir) === 'string') return false;
  if (isOld(stored, clock)) await bucket.put(ir, stored.value, stored.revision);
  return true;
}

function isOld({ at }: Entry, clock: Clock): boolean {
  return clock.now() - at >= PROGRAM_RENEW_MS;
}

/** Which of the uploads that a request names are stored whole; they are kept on for it. Throws `Outage`. */
export async function storedUploads(
  bus: Bus,
  request: Pick<RunRequest, 'run' | 'inputs'>,
  mission: Mission,
): Promise<ReadonlySet<string>> {
  const store = bus.objects(objectStores.uploads);
  const stored = hashesIn(request, mission).map(async (hash) =>
    (await store.keep(hash)) === undefined ? [] : [hash],
  );
  return new Set((await Promise.all(stored)).flat());
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

/** Whether anything of a run is known beside its submission. Throws `Outage`. */
export async function isLaunched(bus: Bus, run: string): Promise<boolean> {
  if ((await bus.bucket(buckets.runs).get(run)) !== undefined) return true;
  return (await bus.last(streams.runs, subject.runEvents(run))) !== undefined;
}

/** The submission at that place of the stream; undefined where it cannot be read. Throws `Outage`. */
export async function submissionAt(bus: Bus, seq: number): Promise<RunSubmission | undefined> {
  let first: StreamMessage | undefined;
  const follower = await bus.follow(
    streams.runSubmissions,
    subject.runSubmit,
    { from: 'seq', seq },
    (message) => {
      first ??= message;
    },
  );
  await follower.caughtUp;
  await follower.stop();
  return first?.seq === seq ? readSubmission(first.data) : undefined;
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

/** The submission of a message, which another process wrote; undefined when it is none. */
export function readSubmission(data: Uint8Array): RunSubmission | undefined {
  try {
    const { run, ir, by } = JSON.parse(Buffer.from(data).toString()) as Record<string, unknown>;
    if (typeof run !== 'string' || !isUlid(run)) return undefined;
    if (typeof ir !== 'string' || !/^[0-9a-f]{64}$/.test(ir)) return undefined;
    return { run, ir, ...(typeof by === 'string' && { by }) };
  } catch {
    return undefined;
  }
}
