/** Reports of telecommands as drivers of others write them. */

import { expect, it } from 'vitest';
import { encodeBatch, type VerificationReport } from '../../../contract/batch.ts';
import { readBatch, readValues } from '../../../telemetry/reading/batch-shape.ts';

const REPORT: VerificationReport = {
  reference: '1865.7',
  stage: 'acceptance',
  ok: true,
  at: 1_700_000_000_000,
};
const FULL: VerificationReport = { ...REPORT, ok: false, step: 2, code: 7, data: 'c0', detail: 'no' };

const batchOf = (reports: unknown) =>
  encodeBatch({ platform: 'p', link: 'l', deferred: false, blocks: [], reports } as never);

const LEFT: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['a number', 7],
  ['a list', []],
  ['nothing in it', {}],
  ['a reference that is a number', { ...REPORT, reference: 7 }],
  ['another stage', { ...REPORT, stage: 'launch' }],
  ['ok that is a word', { ...REPORT, ok: 'yes' }],
  ['no time', { ...REPORT, at: undefined }],
  ['a time that is text', { ...REPORT, at: '2026-01-01T00:00:00Z' }],
  ['a time that is none', { ...REPORT, at: 9e15 }],
  ['a time without end', { ...REPORT, at: Number.NaN }],
  ['a step that is text', { ...REPORT, step: '1' }],
  ['a code that is a list', { ...REPORT, code: [1] }],
  ['data that are bytes', { ...REPORT, data: Buffer.of(1) }],
  ['a detail that is an object', { ...REPORT, detail: {} }],
];

it.each(LEFT)('reading/reports.S1 leaves out what is no report (%s), and nothing else', (_, report) => {
  const left: unknown[] = [];
  const bytes = batchOf([REPORT, report, FULL]);
  expect(readBatch(bytes, (each) => left.push(each))?.reports).toEqual([REPORT, FULL]);
  expect(left).toHaveLength(1);
  expect(readValues(bytes)?.reports).toEqual([REPORT, FULL]);
});

it('reading/reports.S2 reads integers of 64 bits, and nil for what is not said', () => {
  const { step, code, at } = FULL;
  const wide = { ...FULL, step: BigInt(step!), code: BigInt(code!), at: BigInt(at) };
  const nil = { ...REPORT, step: null, code: null, data: null, detail: null };
  expect(readBatch(batchOf([wide, nil]))?.reports).toEqual([FULL, REPORT]);
});

it('gives a batch whose reports are as they should be as it is', () => {
  const left: unknown[] = [];
  expect(readBatch(batchOf([REPORT, FULL]), (each) => left.push(each))?.reports).toEqual([REPORT, FULL]);
  expect(left).toEqual([]);
});
