/**
 * Reports of telecommands as they come off the bus, read with suspicion: drivers of others write them too. Mission
 * Control Service, section 2.2.
 *
 * S1. What is no report is left out, and the rest of the message is not.
 * S2. Other writers of MessagePack pack whole numbers as integers of 64 bits, which are read as bigints, and nil for
 *     what they do not say.
 */

import type { VerificationReport } from '../../contract/batch.ts';
import { isInstant } from '../../contract/instant.ts';
import { asObject } from '../../contract/reply.ts';

const STAGES: ReadonlySet<unknown> = new Set(['acceptance', 'start', 'progress', 'completion']);

/** Those that are reports; the list itself where all are as they should be. `left` is given each of the others. */
export function readableReports(
  reports: readonly unknown[],
  left?: (report: unknown) => void,
): readonly VerificationReport[] {
  if (reports.every(isReport)) return reports;
  return reports.flatMap((report) => {
    const read = asWritten(report);
    if (isReport(read)) return [read];
    left?.(report);
    return [];
  });
}

/** S2 */
function asWritten(report: unknown): unknown {
  const fields = Object.entries(asObject(report) ?? {}).filter(([, value]) => value !== null);
  return Object.fromEntries(
    fields.map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]),
  );
}

function isReport(report: unknown): report is VerificationReport {
  const { reference, stage, ok, at, step, code, data, detail } = asObject(report) ?? {};
  return (
    typeof reference === 'string' &&
    STAGES.has(stage) &&
    typeof ok === 'boolean' &&
    typeof at === 'number' &&
    isInstant(at) &&
    [step, code].every((number) => number === undefined || typeof number === 'number') &&
    [data, detail].every((text) => text === undefined || typeof text === 'string')
  );
}
