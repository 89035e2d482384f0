/** The submission of a run, as the bus has it: written by another process, so nothing of it is taken for granted. */

import type { RunSubmission } from '../../contract/run.ts';
import { isUlid } from '../../contract/token.ts';

/** Undefined when it is none. */
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
