/** The text of a frame for people. Mission Control Service, section 2.1: `text` is there only when it is printable. */

/** Whether a byte is printable ASCII, a tab, a line feed or a carriage return. */
function isPrintable(byte: number): boolean {
  return (byte >= 0x20 && byte <= 0x7e) || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

/** The frame as text; undefined when a byte of it is not printable or it is empty. */
export function printableText(frame: Buffer): string | undefined {
  return frame.length > 0 && frame.every(isPrintable) ? frame.toString('latin1') : undefined;
}
