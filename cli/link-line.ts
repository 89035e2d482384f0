/**
 * One event of a watched link as people read it: time, direction, gateway, size, what it says; and a frame as a
 * hexdump. Pure.
 *
 * L1. What comes from a spacecraft is text to show: no control character of it reaches the terminal.
 * L2. A line that does not fit the terminal is cut and shows that it is.
 */

import type { FrameReceived, FrameSent, LinkEvent } from '../contract/link-event.ts';
import { printable } from './printable.ts';
import { valueText } from './value-text.ts';

export interface Look {
  /** Columns of the terminal; absent: lines are never cut. */
  readonly width: number | undefined;
  readonly colour: boolean;
}

type Colour = 'cyan' | 'yellow' | 'red' | 'dim' | 'plain';

const CODES: Readonly<Record<Colour, string>> = { cyan: '36', yellow: '33', red: '31', dim: '2', plain: '0' };
const ESCAPE = '\u001b';
/** Rows of a hexdump, widest first; one byte takes four columns and the rest of a row fourteen. */
const ROW_BYTES = [16, 8, 4] as const;
/** Bytes of a frame that says nothing, shown in its line. */
const HEAD_BYTES = 16;

/** The line of an event, without its end. */
export function linkLine(event: LinkEvent, look: Look): string {
  const time = `${event.at.slice(11, 23)}Z`;
  switch (event.kind) {
    case 'received':
      return dressed('cyan', [time, 'rx', ...passed(event), receivedText(event)], look);
    case 'sent':
      return dressed(
        event.outcome === 'sent' ? 'yellow' : 'red',
        [time, 'tx', ...passed(event), sentText(event)],
        look,
      );
    case 'state': {
      const { gateway, state, reason } = event;
      const said = reason === undefined ? state : `${state}: ${reason}`;
      return dressed(state === 'up' ? 'dim' : 'red', [time, '--', gateway.padEnd(8), `link ${said}`], look);
    }
    case 'skipped':
      return dressed(
        'red',
        [time, '--', `${event.frames} frames skipped: this watcher cannot keep up`],
        look,
      );
  }
}

/** The bytes of a frame, indented under its line. */
export function hexdump(frame: string, { width }: Pick<Look, 'width'>): string[] {
  const bytes = Buffer.from(frame, 'hex');
  const size = ROW_BYTES.find((count) => width === undefined || 14 + 4 * count <= width) ?? ROW_BYTES[2];
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, row) => {
    const part = bytes.subarray(row * size, (row + 1) * size);
    const hexadecimal = [...part].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const offset = (row * size).toString(16).padStart(4, '0');
    return `    ${offset}  ${hexadecimal.padEnd(3 * size - 1)}  |${part.toString('latin1').replace(/[^ -~]/g, '.')}|`;
  });
}

function passed({ gateway, size }: FrameReceived | FrameSent): string[] {
  return [gateway.padEnd(8), `${size} B`.padStart(7)];
}

function receivedText({ link, samples, more, reports = [], frame, size }: FrameReceived): string {
  const said = samples.map(({ component, instance, measure, value, unit }) => {
    const name = `${component}${instance === undefined ? '' : `[${instance}]`}.${measure}`;
    return `${name} ${valueText(value)}${unit === undefined ? '' : ` ${unit}`}`;
  });
  for (const { stage, ok, code, reference } of reports)
    said.push(
      `${stage} of ${reference} ${ok ? 'ok' : `FAILED${code === undefined ? '' : ` (code ${code})`}`}`,
    );
  if (more !== undefined) said.push(`and ${more} more`);
  if (said.length > 0) return `${link}: ${said.join(', ')}`;
  return `nothing decoded: ${frame.slice(0, 2 * HEAD_BYTES)}${size > HEAD_BYTES ? '…' : ''}`;
}

function sentText({ telecommand, tc, outcome, detail }: FrameSent): string {
  const facts = [telecommand, tc, outcome === 'sent' ? 'sent' : outcome.toUpperCase(), detail];
  return facts.filter((fact) => fact !== undefined).join(' ');
}

function dressed(colour: Colour, words: readonly string[], { width, colour: colours }: Look): string {
  const plain = printable(words.join('  '));
  const fits =
    width === undefined || plain.length <= width ? plain : `${plain.slice(0, Math.max(0, width - 1))}…`;
  return colours ? `${ESCAPE}[${CODES[colour]}m${fits}${ESCAPE}[0m` : fits;
}
