/**
 * Reports of PUS service 1, request verification, both ways: the source data of 1,1 to 1,8. ECSS-E-ST-70-41C,
 * section 6.1. Routing reports (1,10) are not read.
 *
 * V1. Odd subtypes report success and hold no failure code; even ones report failure and do.
 * V2. Reading never throws: data too short for its subtype is refused.
 */

import type { VerificationReport } from '../contract/batch.ts';
import { accepted, type Result, refused } from '../contract/result.ts';
import { REQUEST_ID_BYTES } from './pus-telecommand.ts';

export const VERIFICATION_SERVICE = 1;

/** Both sizes are the mission's (ECSS-E-ST-70-41C leaves them open). */
export interface ReportSizes {
  readonly stepBytes: 1 | 2 | 4;
  readonly codeBytes: 1 | 2 | 4;
}

const STAGES = ['acceptance', 'start', 'progress', 'completion'] as const;

export type RequestReport = Omit<VerificationReport, 'at'>;

/** The report in the source data of 1,`subtype`; refuses other subtypes and data of the wrong length. */
export function readVerification(
  subtype: number,
  data: Buffer,
  sizes: ReportSizes,
): Result<RequestReport, string> {
  const stage = STAGES[(subtype - 1) >>> 1];
  if (stage === undefined)
    return refused(`1,${subtype} is not a report of acceptance, start, progress or completion`);
  const ok = subtype % 2 === 1;
  const stepBytes = stage === 'progress' ? sizes.stepBytes : 0;
  const codeBytes = ok ? 0 : sizes.codeBytes;
  const codeAt = REQUEST_ID_BYTES + stepBytes;
  const least = codeAt + codeBytes;
  if (data.length < least)
    return refused(`1,${subtype} has at least ${least} bytes of data, not ${data.length}`);
  if (ok && data.length > least)
    return refused(`1,${subtype} has ${least} bytes of data, not ${data.length}`);
  return accepted({
    reference: data.toString('hex', 0, REQUEST_ID_BYTES),
    stage,
    ok,
    ...(stepBytes > 0 && { step: data.readUIntBE(REQUEST_ID_BYTES, stepBytes) }),
    ...(codeBytes > 0 && { code: data.readUIntBE(codeAt, codeBytes) }),
    ...(data.length > least && { data: data.toString('hex', least) }),
  });
}

/** Subtype and source data of a report. */
export function writeVerification(
  report: RequestReport,
  sizes: ReportSizes,
): { subtype: number; data: Buffer } {
  const progress = report.stage === 'progress';
  const parts: Buffer[] = [Buffer.from(report.reference, 'hex')];
  if (progress) parts.push(unsigned(report.step ?? 0, sizes.stepBytes));
  if (!report.ok)
    parts.push(unsigned(report.code ?? 0, sizes.codeBytes), Buffer.from(report.data ?? '', 'hex'));
  return { subtype: STAGES.indexOf(report.stage) * 2 + (report.ok ? 1 : 2), data: Buffer.concat(parts) };
}

function unsigned(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
}
