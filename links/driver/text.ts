/**
 * The driver with protocol `text`: telecommands and telemetry as lines, for instruments and boards with a console.
 * Lines are written by the template of the telecommand and read by the patterns of the platform. Mission Control
 * Service, sections 2.1, 3.1 and 4.1 rules 7 and 8.
 *
 * Y1. An answer becomes the report of a telecommand whose pair of patterns it matches. A line does not say which
 *     telecommand it answers: the lane keeps one outstanding a target, so it is the answer to that one.
 * Y2. With `transport: { kind: line }` a frame is a line without its end, which the gateway writes; without transport
 *     it is the line with the end of the setting `terminator`. What is received may have an end or not, and more lines
 *     than one.
 * Y3. A line that matches no pattern and answers no telecommand is a fault, counted and reported as every unreadable
 *     frame is.
 * Y4. A line may be an answer and telemetry: a question is answered by a value.
 */

import { BlockBuilder, type VerificationReport } from '../../contract/batch.ts';
import { LINE_BYTES, LINE_SHOWN_CHARACTERS } from '../../contract/limits/link.ts';
import type { DecodeCall, DecodeReply, DriverAnswer, EncodeCall, EncodeReply } from '../../contract/link.ts';
import { accepted, type Result, refused, refusedAll } from '../../contract/result.ts';
import type { DecodedSample } from '../../contract/telecommand.ts';
import type { Link, Mission } from '../../mission/mission.ts';
import type { Telecommand } from '../../mission/platform.ts';
import { decodedSamples } from './decoded-samples.ts';
import { type Driver, decodeFailed, encodeFailed, type LinkSource, type Reading } from './driver.ts';
import { locate } from './link-address.ts';
import { printableText } from './printable-text.ts';

const TERMINATORS: Readonly<Record<string, string>> = { lf: '\n', crlf: '\r\n', cr: '\r', none: '' };
const LINE_END = /\r\n|\n|\r/;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A text driver; refuses settings it does not know. */
export function createTextDriver(settings: Readonly<Record<string, unknown>>): Result<Driver, string> {
  const { description: _, terminator = 'lf', ...unknown } = settings;
  const faults = Object.keys(unknown).map(
    (key) => `unknown setting "${key}"; the only setting of text is terminator`,
  );
  const end = Object.hasOwn(TERMINATORS, String(terminator)) ? TERMINATORS[String(terminator)] : undefined;
  if (end === undefined)
    faults.push(`terminator is ${JSON.stringify(terminator)}; write ${Object.keys(TERMINATORS).join(', ')}`);
  if (end === undefined || faults.length > 0) return refusedAll(faults);
  return accepted({
    encode: (call, mission) => encodeLine(call, mission, end),
    decode: decodeLines,
    read: readFrame,
  });
}

// Towards the spacecraft -------------------------------------------------------------------------------------------

async function encodeLine(
  call: EncodeCall,
  mission: Mission,
  end: string,
): Promise<DriverAnswer<EncodeReply>> {
  const source = locate(call, mission);
  if (!source.ok) return encodeFailed(source.faults[0]);
  const { link, platform } = source.value;
  const telecommand = platform.components.get(call.component)?.telecommands.get(call.telecommand);
  const line = lineOf(telecommand, call, platform.id);
  if (!line.ok) return encodeFailed(`${call.component}.${call.telecommand}: ${line.faults.join('; ')}`);
  // Y2
  const frame = Buffer.from(link.transport === undefined ? line.value + end : line.value);
  const reference = referenceOf(telecommand, link);
  const text = printableText(frame);
  return accepted({
    frame: frame.toString('hex'),
    ...(reference !== undefined && { reference }),
    ...(text !== undefined && { text }),
  });
}

function lineOf(
  telecommand: Telecommand | undefined,
  call: EncodeCall,
  platform: string,
): Result<string, string> {
  if (telecommand === undefined) return refused(`platform ${platform} has no such telecommand`);
  const { encoding } = telecommand;
  if (encoding?.line === undefined)
    return refused('the catalogue does not define its line; add `line` to its `encode`');
  return encoding.line(call.args, call.instance);
}

/** How the report of an answer names the telecommands that may await it. */
function referenceOf(telecommand: Telecommand | undefined, link: Link): string | undefined {
  const answer = telecommand?.verify?.answer;
  return answer === undefined ? undefined : reportReference(link, answer.reference);
}

function reportReference({ name }: Link, answer: string): string {
  return `${name}.${answer}`;
}

// From the spacecraft ----------------------------------------------------------------------------------------------

function readFrame(frame: Buffer, groundMs: number, source: LinkSource, into: Reading): void {
  const lines = linesIn(frame);
  if (!lines.ok) {
    into.fault(lines.faults[0]);
    return;
  }
  for (const line of lines.value) {
    const reports = reportsOf(line, groundMs, source);
    into.reports.push(...reports);
    const read = source.platform.lines.read(line, groundMs, into.samples);
    if (read === undefined && reports.length === 0) into.fault(`no pattern matches ${shown(line)}`);
    if (read !== undefined && 'fault' in read) into.fault(read.fault);
  }
}

function decodeLines(call: DecodeCall, mission: Mission): DriverAnswer<DecodeReply> {
  const source = locate(call, mission);
  if (!source.ok) return decodeFailed(source.faults[0]);
  const lines = linesIn(Buffer.from(call.frame, 'hex'));
  if (!lines.ok) return decodeFailed(lines.faults[0]);
  const builder = new BlockBuilder();
  const reports: VerificationReport[] = [];
  for (const line of lines.value) {
    const found = reportsOf(line, Number.NaN, source.value);
    const read = source.value.platform.lines.read(line, Number.NaN, builder);
    if (read === undefined && found.length === 0) return decodeFailed(`no pattern matches ${shown(line)}`);
    if (read !== undefined && 'fault' in read) return decodeFailed(read.fault);
    reports.push(...found);
  }
  const samples = decodedSamples(builder.take(), source.value.platform);
  return accepted({ samples: [...reports.flatMap(reportSamples), ...samples] });
}

/** Y1 */
function reportsOf(line: string, at: number, { link, platform }: LinkSource): VerificationReport[] {
  return platform.lines.answers(line).map(({ reference, ok, code, detail }) => ({
    reference: reportReference(link, reference),
    stage: ok ? 'completion' : 'acceptance',
    ok,
    ...(code !== undefined && { code }),
    detail: shown(detail),
    at,
  }));
}

/** As of PUS reports: for the eye of the caller, not in the catalogue. */
function reportSamples({ ok, code }: VerificationReport): DecodedSample[] {
  const said = { ok, ...(code !== undefined && { code }) };
  return Object.entries(said).map(([measure, raw]) => ({
    component: 'verification',
    measure,
    raw,
    value: null,
  }));
}

/** The lines of a frame without their ends and the blanks around them; empty ones are none (Y2). */
function linesIn(frame: Buffer): Result<readonly string[], string> {
  if (frame.length > LINE_BYTES)
    return refused(`${frame.length} bytes are too long for a line: at most ${LINE_BYTES}`);
  try {
    const text = utf8.decode(frame);
    return accepted(text.split(LINE_END).flatMap((line) => (line.trim() === '' ? [] : [line.trim()])));
  } catch {
    return refused(`${frame.length} bytes are not UTF-8 text`);
  }
}

function shown(line: string): string {
  const text = JSON.stringify(line);
  return text.length > LINE_SHOWN_CHARACTERS ? `${text.slice(0, LINE_SHOWN_CHARACTERS)}…` : text;
}
