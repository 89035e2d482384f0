/** Bytes as lines of offset, hexadecimal and printable text. Pure. */

/** As many lines as are asked, all by default: `0010  de ad be ef  ....`. */
export function hexLines(hex: string, bytesInLine: number, lines = Number.POSITIVE_INFINITY): string {
  const count = Math.min(lines, Math.ceil(hex.length / (2 * bytesInLine)));
  return Array.from({ length: count }, (_, line) => {
    const part = hex.slice(line * 2 * bytesInLine, (line + 1) * 2 * bytesInLine);
    const bytes = part.match(/../g) ?? [];
    const offset = (line * bytesInLine).toString(16).padStart(4, '0');
    return `${offset}  ${bytes.join(' ').padEnd(3 * bytesInLine - 1)}  ${bytes.map(printable).join('')}`;
  }).join('\n');
}

function printable(byte: string): string {
  const code = Number.parseInt(byte, 16);
  return code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : '.';
}
