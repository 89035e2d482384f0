/** Chunks of files as they travel: what is read back is what was sent, and nothing is rounded. */

import { describe, expect, it } from 'vitest';
import { header } from '../../contract/bus/headers.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { chunkHeaders, isFileId, readFileChunk } from '../../contract/file-chunk.ts';

const data = Buffer.from('0102', 'hex');
const message = (file: string, headers: Record<string, string>) => ({
  subject: `mcs.file.chunk.sat1.${file}`,
  headers,
  data,
});

describe('a chunk of a file', () => {
  it('MC-XFER-045 MC-XFER-046 says its generation and its offset in headers, and its file in the subject', () => {
    const chunk = { file: '7', generation: 3, offset: 4_294_967_296, data };
    const headers = chunkHeaders(chunk);
    expect(headers).toEqual({ 'Mcs-Generation': '3', 'Mcs-Offset': '4294967296' });
    expect(readFileChunk({ subject: subject.fileChunk('sat1', '7'), headers, data })).toEqual(chunk);
  });

  it('MC-GEN-022 file-chunk.F2 names the transaction that brought it, where there is one', () => {
    const chunk = { file: '7', generation: 3, offset: 0, data, transaction: 'cfdp-sim-2-17-1a2b-3' };
    const headers = chunkHeaders(chunk);
    expect(headers['Mcs-Transaction']).toBe('cfdp-sim-2-17-1a2b-3');
    expect(readFileChunk(message('7', headers))).toEqual(chunk);
  });

  it.each([
    ['no headers', '7', {}],
    ['no offset', '7', { [header.generation]: '1' }],
    ['a fraction', '7', { [header.generation]: '1', [header.offset]: '1.5' }],
    ['a negative offset', '7', { [header.generation]: '1', [header.offset]: '-1' }],
    ['an offset past 2^53', '7', { [header.generation]: '1', [header.offset]: '9007199254740993' }],
    ['a generation past 2^53', '7', { [header.generation]: '18446744073709551615', [header.offset]: '0' }],
    ['leading zeros', '7', { [header.generation]: '01', [header.offset]: '0' }],
    [
      'a transaction without a name',
      '7',
      { [header.generation]: '1', [header.offset]: '0', [header.transaction]: '' },
    ],
    [
      'a transaction with a name that is too long',
      '7',
      { [header.generation]: '1', [header.offset]: '0', [header.transaction]: 'x'.repeat(161) },
    ],
    ['a file that is no number', 'a', { [header.generation]: '1', [header.offset]: '0' }],
  ])('file-chunk.F1 %s is no chunk', (_, file, headers) => {
    expect(readFileChunk(message(file, headers))).toBeUndefined();
  });

  it.each([
    ['0', true],
    ['18446744073709551615', true],
    ['01', false],
    ['', false],
    ['-1', false],
    ['1e3', false],
    ['123456789012345678901', false],
  ])('%j as an identifier: %s', (text, is) => {
    expect(isFileId(text)).toBe(is);
  });
});
