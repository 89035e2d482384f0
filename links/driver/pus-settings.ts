/**
 * Settings of a driver with protocol `pus-c`: what ECSS-E-ST-70-41C leaves to the mission. Every setting has the value
 * most missions use.
 */

import { accepted, type Result, refusedAll } from '../../contract/result.ts';
import type { ReportSizes } from '../../protocol/pus-verification.ts';
import { CDS_SHORT_BYTES } from '../../protocol/time-code.ts';
import { isApid } from './link-address.ts';

export interface PusSettings {
  /** For links whose transport names none. */
  readonly apid: number | undefined;
  /** Source identifier in telecommands. */
  readonly source: number;
  /** Bytes of the time in telemetry headers, P-field included. */
  readonly timeBytes: number;
  readonly report: ReportSizes;
}

/** Longest time code of CCSDS 301.0-B-4 with an extended P-field. */
const MAX_TIME_BYTES = 18;
const isInteger = (least: number, most: number) => (value: unknown) =>
  Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
const isFieldSize = (value: unknown): boolean => value === 1 || value === 2 || value === 4;

const RULES: Readonly<Record<string, { fits: (value: unknown) => boolean; says: string }>> = {
  apid: { fits: isApid, says: 'an integer from 0 to 2047' },
  source: { fits: isInteger(0, 0xffff), says: 'an integer from 0 to 65535' },
  time_bytes: { fits: isInteger(0, MAX_TIME_BYTES), says: `an integer from 0 to ${MAX_TIME_BYTES}` },
  step_bytes: { fits: isFieldSize, says: '1, 2 or 4' },
  code_bytes: { fits: isFieldSize, says: '1, 2 or 4' },
  // Its content was checked when the documents were compiled (`mission/check/cfdp.ts`).
  cfdp: { fits: (value) => typeof value === 'object' && value !== null, says: 'the settings of CFDP' },
};

/** The settings with defaults applied; refuses unknown keys and values outside their range, all at once. */
export function pusSettings(settings: Readonly<Record<string, unknown>>): Result<PusSettings, string> {
  const faults = Object.entries(settings).flatMap(([key, value]) => faultOf(key, value));
  if (faults.length > 0) return refusedAll(faults);
  const { apid, source, time_bytes, step_bytes, code_bytes } = settings;
  return accepted({
    apid: apid as number | undefined,
    source: (source as number | undefined) ?? 0,
    timeBytes: (time_bytes as number | undefined) ?? CDS_SHORT_BYTES,
    report: {
      stepBytes: (step_bytes as ReportSizes['stepBytes'] | undefined) ?? 1,
      codeBytes: (code_bytes as ReportSizes['codeBytes'] | undefined) ?? 2,
    },
  });
}

function faultOf(key: string, value: unknown): string[] {
  if (key === 'description') return [];
  const rule = RULES[key];
  if (rule === undefined)
    return [`unknown setting "${key}"; settings of pus-c are ${Object.keys(RULES).join(', ')}`];
  return rule.fits(value) ? [] : [`${key} is ${JSON.stringify(value)}; write ${rule.says}`];
}
