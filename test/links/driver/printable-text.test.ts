import { expect, it } from 'vitest';
import { printableText } from '../../../links/driver/printable-text.ts';

it('MC-ENC-007 a frame has a text only when every byte is printable', () => {
  expect(printableText(Buffer.from('AT+PING\r\n'))).toBe('AT+PING\r\n');
  expect(printableText(Buffer.from(' ~\t'))).toBe(' ~\t');
  for (const byte of [0x00, 0x08, 0x0b, 0x1f, 0x7f, 0x80, 0xff]) {
    expect(printableText(Buffer.from([0x41, byte, 0x42]))).toBeUndefined();
  }
  expect(printableText(Buffer.alloc(0))).toBeUndefined();
});
