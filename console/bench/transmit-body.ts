/** What the form of a transmission holds, as the body of its request. Pure. */

import type { Framing, TransmitBody, TransmitPacket } from '../../contract/bench/datapath.ts';

export interface TransmitForm {
  readonly protocol: 'raw' | 'csp' | 'ccsds';
  /** One packet a line, hexadecimal; spaces and colons are for the eye. */
  readonly hex: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly checked: boolean;
  readonly framing: 'stream' | 'slot';
  readonly slotLength: string;
  readonly force: boolean;
}

export type TransmitFormResult = { readonly body: TransmitBody } | { readonly fault: string };

/** The body, or what is wrong with which line; what the numbers may be is for the service to say. */
export function transmitBody(form: TransmitForm): TransmitFormResult {
  const lines = form.hex.split('\n').map((line) => line.replace(/[\s:]/g, ''));
  const used = lines.filter((line) => line !== '');
  if (used.length === 0)
    return { fault: 'There is no packet: write its bytes as hexadecimal, one packet a line.' };
  const wrong = lines.findIndex((line) => !/^([0-9a-fA-F]{2})*$/.test(line));
  if (wrong >= 0) {
    const why = /^[0-9a-fA-F]*$/.test(lines[wrong]!) ? 'has half a byte at its end' : 'is not hexadecimal';
    return { fault: `Line ${wrong + 1} ${why}.` };
  }
  const packets = used.map((payload) => packetOf(form, payload));
  return { body: { packets, framing: framingOf(form), ...(form.force && { force: true }) } };
}

function packetOf({ protocol, fields, checked }: TransmitForm, payload_hex: string): TransmitPacket {
  if (protocol === 'raw') return { protocol, payload_hex };
  const header = numbersOf(fields);
  if (protocol === 'csp') {
    return { protocol, header: { ...header, ...(checked && { crc32: true }) } as never, payload_hex };
  }
  return { protocol, header: header as never, payload_hex, ...(checked && { crc16: true }) };
}

/** Empty fields are left out; what is no number goes as it is, and the service names it. */
function numbersOf(fields: TransmitForm['fields']): Record<string, number | string> {
  const filled = Object.entries(fields).filter(([, value]) => value.trim() !== '');
  return Object.fromEntries(
    filled.map(([name, value]) => [name, /^\s*-?\d+\s*$/.test(value) ? Number(value) : value.trim()]),
  );
}

function framingOf({ framing, slotLength }: TransmitForm): Framing {
  return framing === 'stream' ? { mode: 'stream' } : { mode: 'slot', slot_len: Number(slotLength) };
}
