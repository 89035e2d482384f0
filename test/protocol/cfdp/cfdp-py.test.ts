/**
 * Files exchanged with cfdp-py, another hand's entity, over UDP on 127.0.0.1 in real time. `npm run interoperate` runs
 * it where `python3` can import cfdp-py; the tests do not.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { condition } from '../../../protocol/cfdp/condition.ts';
import type { Pdu } from '../../../protocol/cfdp/pdu.ts';
import { userMessagesOf } from '../../../protocol/cfdp/user-message.ts';
import {
  CfdpPyLink,
  cfdpPyVersion,
  type LinkOptions,
  noCfdpPy,
  OURS,
  THEIRS,
} from '../../support/cfdp-py.ts';
import { contentOf } from './pair.ts';

const IS_ASKED = process.env['INTEROPERATE'] !== undefined;
const MISSING = IS_ASKED ? noCfdpPy() : 'npm run interoperate runs it';

const WHOLE = { condition: condition.noError, complete: true };
const THEIR_WHOLE = { condition: condition.noError, delivery: 0, status: 2 };
/** Nothing, one byte, and a size that is no multiple of a segment or of a word. */
const SIZES = [0, 1, 300_001];
const NAMES = SIZES.map((size) => `of-${size}`);
const CONTENTS = SIZES.map(contentOf);

describe.skipIf(MISSING !== undefined)(`MC-CFDP-001 cfdp-py (${MISSING ?? cfdpPyVersion()})`, () => {
  let link: CfdpPyLink | undefined;

  const open = async (options?: LinkOptions): Promise<CfdpPyLink> => {
    link = await CfdpPyLink.open(options);
    return link;
  };
  const theirFile = (name: string): Buffer => readFileSync(join(link!.folder, name));
  const putThere = (name: string, content: Buffer): void => writeFileSync(join(link!.folder, name), content);

  afterEach(async () => {
    await link?.close();
    link = undefined;
  });

  /** Our end sends it, and both ends say that it is whole. */
  async function send(over: CfdpPyLink, name: string, content: Buffer): Promise<void> {
    const { sequence } = over.ourPut(name, content);
    const [ours, theirs] = await Promise.all([
      over.happened('ended', ({ id, role }) => role === 'sender' && id.sequence === sequence),
      over.said('finished', (said) => said.role === 'receiver' && BigInt(said.sequence!) === sequence),
    ]);
    expect(ours.outcome).toMatchObject(WHOLE);
    expect(theirs).toMatchObject(THEIR_WHOLE);
    expect(theirFile(name).equals(content)).toBe(true);
  }

  /** Their end sends it, and both ends say that it is whole. */
  async function fetch(
    over: CfdpPyLink,
    name: string,
    content: Buffer,
    how: { readonly class: 1 | 2; readonly closure?: boolean } = { class: 2 },
  ): Promise<void> {
    const begun = over.theirs.filter(({ event }) => event === 'begun').length;
    putThere('source', content);
    over.theirPut({ source: 'source', destination: name, ...how });
    const { sequence } = await over.until(
      'the beginning',
      () => over.theirs.filter(({ event }) => event === 'begun')[begun],
    );
    const [ours, theirs] = await Promise.all([
      over.happened('ended', ({ id, role }) => role === 'receiver' && id.sequence === BigInt(sequence!)),
      over.said('finished', (said) => said.role === 'sender' && said.sequence === sequence),
    ]);
    expect(ours.outcome).toMatchObject({ ...WHOLE, verified: true });
    expect(theirs).toMatchObject({ condition: condition.noError, delivery: 0 });
    expect(over.received(name)!.equals(content)).toBe(true);
  }

  const FORMS = [0, 3, 2, 15].flatMap((checksumType, n) =>
    [true, false].map((crc, m) => ({
      checksumType,
      crc,
      idBytes: [1, 2, 4][(n + m) % 3]!,
      sequenceBytes: [4, 2, 4][(n + m) % 3]!,
    })),
  );

  it.each(FORMS)('every size arrives both ways: %o', async (form) => {
    const over = await open({ settings: { ...form, crcRequired: form.crc } });
    for (const [n, name] of NAMES.entries()) {
      await send(over, name, CONTENTS[n]!);
      await fetch(over, name, CONTENTS[n]!);
      await fetch(over, `${name}-open`, CONTENTS[n]!, { class: 1 });
      await fetch(over, `${name}-closed`, CONTENTS[n]!, { class: 1, closure: true });
    }
    const faults = over.theirs.filter(({ event }) => event.startsWith('un') || event === 'fault');
    expect(faults).toEqual([]);
    expect(over.entity.counts).toMatchObject({ malformed: 0, foreign: 0, misdirected: 0 });
  });

  /** Loses the first PDUs of a kind. */
  const losingFirst = (count: number, isIt: (pdu: Pdu) => boolean) => {
    let lost = 0;
    return (pdu: Pdu): boolean => {
      if (lost >= count || !isIt(pdu)) return true;
      lost += 1;
      return false;
    };
  };

  /** Gives up soon what is acknowledged no more. */
  const IMPATIENT: LinkOptions = { settings: { ackLimit: 3 } };
  const SEEDS = [1, 2, 3, 4];
  /** Its receiver waits for an EOF for ever where it lacks the metadata when the first comes and loses the second. */
  const spares = ({ header, body }: Pdu): boolean => header.source === OURS && body.kind === 'metadata';
  const stormy = (seed: number): LinkOptions => ({
    settings: { pduBytes: 512, naks: seed % 2 === 0 ? 'immediate' : 'deferred' },
    immediateNaks: seed < 3,
    weather: { seed, lost: 0.1, doubled: 0.05, overtaken: 0.1, spares },
  });

  it.each(SEEDS)('seed %i: what they send arrives, whatever is lost, doubled and overtaken', async (seed) => {
    await fetch(await open(stormy(seed)), 'down', contentOf(100_000));
  });

  it.each(SEEDS)('seed %i: what we send arrives, whatever is lost, doubled and overtaken', async (seed) => {
    await send(await open(stormy(seed)), 'up', contentOf(100_000));
  });

  it.each([true, false])('class 1, closure %s: doubled and overtaken, all arrives', async (closure) => {
    const over = await open({ weather: { seed: 5, lost: 0, doubled: 0.1, overtaken: 0.3 } });
    await fetch(over, 'down', contentOf(100_000), { class: 1, closure });
  });

  it('metadata that are lost are asked for behind the EOF: all arrives', async () => {
    const isOurs = ({ header, body }: Pdu) => header.source === OURS && body.kind === 'metadata';
    const over = await open({ immediateNaks: false, keeps: losingFirst(1, isOurs) });
    await send(over, 'up', contentOf(20_000));
  });

  it('a file that we request comes, and its request is answered', async () => {
    const over = await open(IMPATIENT);
    const content = contentOf(50_000);
    putThere('there', content);
    const asked = over.entity.get({ sourceName: 'there', destinationName: 'here' }, performance.now());
    if (!asked.ok) throw new Error(asked.faults.join());
    const ended = await over.happened('downloadEnded');
    expect(ended).toMatchObject({ id: asked.value, outcome: WHOLE });
    expect(over.received('here')!.equals(content)).toBe(true);
    const answer = await over.happened('metadata', ({ metadata }) => metadata.destinationName === '');
    expect(userMessagesOf(answer.metadata.options)).toMatchObject([
      { kind: 'proxyPutResponse', condition: condition.noError, complete: true },
      { kind: 'originatingTransaction', id: asked.value },
    ]);
    await over.until('the end of all transactions', () => over.entity.isIdle);
  });

  it('a file that they request comes', async () => {
    const over = await open(IMPATIENT);
    const content = contentOf(50_000);
    over.theirAsk({ source: 'here', destination: 'there' });
    const asked = await over.happened('proxyPut');
    expect(asked).toMatchObject({ sourceName: 'here', destinationName: 'there', destination: THEIRS });
    over.ourPut('there', content, asked.id);
    await over.said('finished', ({ role }) => role === 'receiver');
    expect(theirFile('there').equals(content)).toBe(true);
    await over.until('the end of all transactions', () => over.entity.isIdle);
  });

  const isData = ({ body }: Pdu): boolean => body.kind === 'fileData';
  /** A file of which nothing arrives stays open. */
  const OPEN: LinkOptions = { ...IMPATIENT, keeps: (pdu) => !isData(pdu) };

  it('we cancel what we send: they learn it', async () => {
    const over = await open(OPEN);
    const id = over.ourPut('a', contentOf(50_000));
    await over.said('metadata');
    over.ourCancel(id);
    expect((await over.happened('ended')).outcome.condition).toBe(condition.cancelRequested);
    const { condition: code, role } = await over.said('finished');
    expect(role).toBe('receiver');
    // spacepackets leaves the condition of an EOF where it is in the octet.
    expect([condition.cancelRequested, condition.cancelRequested << 4]).toContain(code);
    await over.until('the end of all transactions', () => over.entity.isIdle);
  });

  it('they cancel what we send: we learn it', async () => {
    const over = await open(OPEN);
    over.ourPut('a', contentOf(50_000));
    await over.said('metadata');
    over.theirCancel();
    expect((await over.happened('ended')).outcome.condition).toBe(condition.cancelRequested);
    await over.until('the end of all transactions', () => over.entity.isIdle);
  });

  it('they cancel what they send: we learn it', async () => {
    const over = await open(OPEN);
    putThere('source', contentOf(50_000));
    over.theirPut({ source: 'source', destination: 'a', class: 2 });
    await over.happened('metadata');
    over.theirCancel();
    expect((await over.happened('ended')).outcome.condition).toBe(condition.cancelRequested);
    await over.until('the end of all transactions', () => over.entity.isIdle);
  });

  it('we cancel what they send: they learn it', async () => {
    const over = await open(OPEN);
    putThere('source', contentOf(50_000));
    over.theirPut({ source: 'source', destination: 'a', class: 2 });
    const { id } = await over.happened('metadata');
    over.ourCancel(id);
    expect((await over.happened('ended')).outcome.condition).toBe(condition.cancelRequested);
    const told = await over.said('finished');
    expect(told).toMatchObject({ role: 'sender', condition: condition.cancelRequested });
    await over.until('the end of all transactions', () => over.entity.isIdle);
  });

  it.each(
    (['eof', 'finished'] as const).flatMap((of) => (['up', 'down'] as const).map((way) => ({ of, way }))),
  )('the first acknowledgements of $of are lost on the way $way: all arrives', async ({ of, way }) => {
    const isIt = ({ body }: Pdu) => body.kind === 'ack' && body.of === of;
    const over = await open({ settings: { ackLimit: 4 }, keeps: losingFirst(2, isIt) });
    await (way === 'up' ? send : fetch)(over, way, contentOf(20_000));
    await over.until('the end of all transactions', () => over.entity.isIdle);
  });

  it('no acknowledgement of Finished arrives: both ends have the result', async () => {
    const keeps = ({ body }: Pdu) => !(body.kind === 'ack' && body.of === 'finished');
    const over = await open({ ...IMPATIENT, keeps });
    await send(over, 'up', contentOf(20_000));
    await fetch(over, 'down', contentOf(20_000));
    await over.until('the end of all transactions', () => over.entity.isIdle);
  });
});
