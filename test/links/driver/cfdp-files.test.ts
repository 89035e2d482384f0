/** The verb `cfdp` over a real entity, with the spacecraft's entity at the other end of a link in virtual time. */

import { describe, expect, it } from 'vitest';
import type { CfdpCall, CfdpReply } from '../../../contract/cfdp.ts';
import type { FileChunk } from '../../../contract/file-chunk.ts';
import { CFDP_COMPLETED_MS, CFDP_GIVEN_UP_MS, CFDP_UNASKED_MS } from '../../../contract/limits/cfdp.ts';
import { CfdpFiles } from '../../../links/driver/cfdp-files.ts';
import { condition } from '../../../protocol/cfdp/condition.ts';
import { CfdpEntity } from '../../../protocol/cfdp/entity.ts';
import { faultHandlerOverride, type Tlv } from '../../../protocol/cfdp/tlv.ts';
import { contentOf } from '../../protocol/cfdp/pair.ts';

const SIZE = 20_000;
const CONTENT = contentOf(SIZE);
const STEP_MS = 50;
const DOWN: CfdpCall = { target: 'sat2', file_id: '7', generation: 3, direction: 'download', size: SIZE };
const UP: CfdpCall = { ...DOWN, generation: 1, direction: 'upload', source: 'ab12' };

/** A ground, a spacecraft, and a link of one PDU each way in each step. */
class Flight {
  now = 1_000;
  ground: CfdpFiles;
  spacecraft: CfdpEntity;
  readonly chunks: (FileChunk & { readonly target: string })[] = [];
  readonly onboard = Buffer.alloc(SIZE);
  /** Proxy puts that came, and files that went up whole. */
  asked = 0;
  uploaded = 0;
  /** Names that were given to transactions. */
  transactions = 0;
  /** What is on board; undefined: there is no such file. */
  content: Buffer | undefined = CONTENT;
  /** Every so many PDUs one is lost, each way; 0: none. */
  lossOf = 0;
  /** The spacecraft receives nothing. */
  isDeaf = false;
  /** What the spacecraft asks for in the metadata of its files. */
  options: Tlv[] = [];
  isLinkUp = true;
  #sent = 0;

  constructor() {
    this.ground = this.newGround();
    this.spacecraft = this.newSpacecraft();
  }

  /** Each of them begins with the same number. */
  newSpacecraft(): CfdpEntity {
    const settings = { local: 42n, pduBytes: 512 };
    return new CfdpEntity(
      {
        settings,
        peer: 1n,
        wallMs: 5_000_000,
        accept: () => true,
        emit: (event) => {
          if (event.kind === 'chunk') this.onboard.set(event.bytes, event.offset);
          const isFile = event.kind === 'ended' && event.role === 'receiver';
          if (isFile && event.outcome.complete && this.onboard.equals(CONTENT)) this.uploaded += 1;
          if (event.kind !== 'proxyPut') return;
          this.asked += 1;
          const { id: originating, sourceName, destinationName } = event;
          if (this.content === undefined)
            return this.spacecraft.refusePut(originating, condition.filestoreRejection, this.now);
          const file = { sourceName, destinationName, size: this.content.length };
          this.spacecraft.put({ file, originating, options: this.options }, this.now);
        },
      },
      this.now,
    );
  }

  newGround(): CfdpFiles {
    const chunk = (each: FileChunk & { readonly target: string }): void => {
      this.chunks.push({ ...each, data: Buffer.from(each.data) });
    };
    const settings = { local: 1n, pduBytes: 512 };
    const wallMs = 9_000_000 + this.now;
    const newTransaction = (): string => `t${++this.transactions}`;
    return new CfdpFiles({ settings, peer: 42n, wallMs, newTransaction, chunk }, this.now);
  }

  get received(): Buffer {
    const file = Buffer.alloc(SIZE);
    for (const { offset, data } of this.chunks) file.set(data, offset);
    return file;
  }

  call(call: CfdpCall = DOWN): CfdpReply {
    return this.ground.answer(call, this.now);
  }

  run(ms: number): void {
    for (const end = this.now + ms; this.now < end; this.now += STEP_MS) this.#step();
  }

  /** Calls every five seconds until the answer is not `running`, at most for an hour. */
  until(call: CfdpCall = DOWN): CfdpReply {
    for (const end = this.now + 3_600_000; this.now < end; this.run(5_000)) {
      const reply = this.call(call);
      if (reply.outcome !== 'running') return reply;
    }
    throw new Error('it runs for ever');
  }

  link(isUp: boolean): void {
    this.isLinkUp = isUp;
    for (const end of [this.ground, this.spacecraft])
      if (isUp) end.linkUp(this.now);
      else end.linkDown(this.now);
  }

  #step(): void {
    const { ground, spacecraft, now } = this;
    ground.tick(now);
    spacecraft.tick(now);
    for (const { id, start, end } of ground.wanted())
      ground.give(id, start, CONTENT.subarray(start, end), now);
    for (const { id, range } of spacecraft.wanted())
      spacecraft.give(id, range[0], this.content?.subarray(...range), now);
    const [up, down] = [ground.pull(now), spacecraft.pull(now)];
    if (up !== undefined && this.#arrives() && !this.isDeaf) spacecraft.receive(up, now);
    if (down !== undefined && this.#arrives()) ground.receive(down, now);
  }

  #arrives(): boolean {
    this.#sent += 1;
    return this.isLinkUp && (this.lossOf === 0 || this.#sent % this.lossOf !== 0);
  }
}

describe('the verb cfdp', () => {
  it.each([0, 7])(
    'MC-CFDP-004 MC-CFDP-005 MC-CFDP-007 a download is one Proxy Put Request however often it is called for, and comes as chunks (one PDU in %i lost)',
    (lossOf) => {
      const flight = new Flight();
      flight.lossOf = lossOf;
      expect(flight.call()).toEqual({ outcome: 'running', bytes: 0 });
      expect(flight.call()).toEqual({ outcome: 'running', bytes: 0 });
      flight.run(1_000);
      const reply = flight.call();
      if (reply.outcome !== 'running') throw new Error(reply.outcome);
      expect(reply.bytes).toBeGreaterThan(0);
      expect(flight.until()).toEqual({ outcome: 'completed' });
      expect(flight.call()).toEqual({ outcome: 'completed' });
      expect(flight.asked).toBe(1);
      expect(flight.received.equals(CONTENT)).toBe(true);
      const [first] = flight.chunks;
      expect(first).toMatchObject({ target: 'sat2', file: '7', generation: 3 });
    },
  );

  it.each([0, 7])('MC-CFDP-004 MC-CFDP-008 an upload goes up once (one PDU in %i lost)', (lossOf) => {
    const flight = new Flight();
    flight.lossOf = lossOf;
    flight.call(UP);
    flight.call(UP);
    flight.run(100);
    expect(flight.ground.wanted().every(({ source }) => source === 'ab12')).toBe(true);
    expect(flight.until(UP)).toEqual({ outcome: 'completed' });
    expect(flight.call(UP)).toEqual({ outcome: 'completed' });
    expect(flight.uploaded).toBe(1);
    expect(flight.chunks).toEqual([]);
  });

  it('MC-CFDP-006 what failed says why, once, and begins again at the next call', () => {
    const flight = new Flight();
    flight.content = undefined;
    expect(flight.until()).toEqual({ outcome: 'failed', reason: 'the file store refuses the file' });
    flight.content = CONTENT;
    expect(flight.call()).toEqual({ outcome: 'running', bytes: 0 });
    expect(flight.until()).toEqual({ outcome: 'completed' });
    expect(flight.asked).toBe(2);
  });

  it('MC-CFDP-009 a driver that died begins again when it is asked, and ends', () => {
    const flight = new Flight();
    flight.call();
    flight.run(1_000);
    flight.ground = flight.newGround();
    expect(flight.call()).toEqual({ outcome: 'running', bytes: 0 });
    expect(flight.until()).toEqual({ outcome: 'completed' });
    expect(flight.received.equals(CONTENT)).toBe(true);
  });

  it('MC-CFDP-002 cfdp-files.W3 a gap between passes, in which nobody calls, costs nothing', () => {
    const flight = new Flight();
    flight.call();
    flight.run(1_000);
    flight.link(false);
    flight.run(2 * CFDP_GIVEN_UP_MS);
    flight.link(true);
    expect(flight.call()).toMatchObject({ outcome: 'running' });
    expect(flight.until()).toEqual({ outcome: 'completed' });
    expect(flight.asked).toBe(1);
  });

  it('MC-UPL-009 cfdp-files.W3 what is not called for any more stands still, and goes on when it is', () => {
    const flight = new Flight();
    flight.lossOf = 3;
    flight.call(UP);
    flight.run(100);
    flight.run(CFDP_UNASKED_MS);
    expect(flight.ground.pull(flight.now)).toBeUndefined();
    flight.run(30_000);
    expect(flight.ground.pull(flight.now)).toBeUndefined();
    expect(flight.uploaded).toBe(0);
    expect(flight.until(UP)).toEqual({ outcome: 'completed' });
    expect(flight.uploaded).toBe(1);
  });

  it.each([DOWN, UP])('cfdp-files.W3 $direction: given up when nobody calls for long', (call) => {
    const flight = new Flight();
    flight.call(call);
    flight.run(500);
    flight.lossOf = 1;
    flight.run(CFDP_GIVEN_UP_MS + 90_000);
    expect(flight.ground.entity.transactions).toBe(0);
    expect(flight.call(call)).toEqual({ outcome: 'failed', reason: 'it was not asked for any more' });
  });

  it('cfdp-files.W2 a download that is still called for a minute behind its end begins again', () => {
    const flight = new Flight();
    flight.call();
    flight.until();
    flight.run(CFDP_COMPLETED_MS);
    expect(flight.call()).toEqual({ outcome: 'running', bytes: 0 });
    expect(flight.until()).toEqual({ outcome: 'completed' });
    expect(flight.asked).toBe(2);
  });

  it('MC-CFDP-008 cfdp-files.W2 an upload that was completed before a gap between passes is not written again', () => {
    const flight = new Flight();
    flight.call(UP);
    flight.run(15_000);
    expect(flight.uploaded).toBe(1);
    flight.link(false);
    flight.run(10 * CFDP_COMPLETED_MS);
    flight.link(true);
    expect(flight.call(UP)).toEqual({ outcome: 'completed' });
    flight.run(15_000);
    expect(flight.uploaded).toBe(1);
  });

  it('cfdp-files.W2 an upload is completed for as long as it is called for, and forgotten behind that', () => {
    const flight = new Flight();
    flight.call(UP);
    for (const end = flight.now + 5 * CFDP_COMPLETED_MS; flight.now < end; flight.run(5_000)) flight.call(UP);
    expect(flight.call(UP)).toEqual({ outcome: 'completed' });
    expect(flight.uploaded).toBe(1);
    flight.run(4 * CFDP_COMPLETED_MS);
    expect(flight.ground.isIdle).toBe(true);
  });

  it('cfdp-files.W2 a download that was completed before a gap between passes is not asked for again', () => {
    const flight = new Flight();
    flight.call();
    flight.run(15_000);
    flight.link(false);
    flight.run(10 * CFDP_COMPLETED_MS);
    flight.link(true);
    expect(flight.call()).toEqual({ outcome: 'completed' });
    expect(flight.asked).toBe(1);
  });

  it('MC-GEN-022 cfdp-files.W4 nothing is published of a file whose size is not the one listed', () => {
    const flight = new Flight();
    flight.content = contentOf(SIZE + 1);
    const reason = `the file has ${SIZE + 1} bytes on board, and ${SIZE} are listed`;
    expect(flight.until()).toEqual({ outcome: 'failed', reason });
    expect(flight.chunks).toEqual([]);
  });

  it('MC-GEN-022 cfdp-files.W4 a file that ends before the listed size is not completed', () => {
    const flight = new Flight();
    flight.content = Buffer.alloc(0);
    expect(flight.until()).toEqual({ outcome: 'failed', reason: `0 bytes came, and ${SIZE} are listed` });
  });

  /** A download that is under way when the spacecraft falls silent, before or behind the end of its file. */
  function silenced(code: number, handler: 'suspend' | 'ignore'): Flight {
    const flight = new Flight();
    flight.options = [faultHandlerOverride(code, handler)];
    flight.call();
    flight.run(500);
    [flight.lossOf, flight.isDeaf] = [7, true];
    flight.run(code === condition.nakLimit ? 3_000 : 1_000);
    flight.lossOf = 0;
    flight.spacecraft.linkDown(flight.now);
    return flight;
  }

  it.each([
    ['NAK limit', condition.nakLimit, 60_000],
    ['inactivity', condition.inactivity, 310_000],
  ])(
    'cfdp-files.W6 %s: a download that the spacecraft has suspended at a fault is resumed by the next call',
    (_, code, silence) => {
      const flight = silenced(code, 'suspend');
      for (const end = flight.now + silence; flight.now < end; flight.run(5_000)) flight.call();
      flight.isDeaf = false;
      flight.spacecraft.linkUp(flight.now);
      expect(flight.until()).toEqual({ outcome: 'completed' });
      expect(flight.received.equals(CONTENT)).toBe(true);
      expect(flight.asked).toBe(1);
    },
  );

  it.each([
    ['what is missing is not sent again', condition.nakLimit, 'suspend'],
    ['nothing is received any more', condition.inactivity, 'suspend'],
    ['what is missing is not sent again', condition.nakLimit, 'ignore'],
    ['nothing is received any more', condition.inactivity, 'ignore'],
  ] as const)(
    'cfdp-files.W6 a download of which nothing comes any more fails: %s (%i, %s)',
    (reason, code, handler) => {
      const flight = silenced(code, handler);
      expect(flight.until()).toEqual({ outcome: 'failed', reason });
    },
  );

  it('MC-GEN-022 cfdp-files.W1 a number that a restarted spacecraft uses again brings the file that was asked for with it', () => {
    const flight = new Flight();
    const other: CfdpCall = { ...DOWN, file_id: '8' };
    flight.call(other);
    flight.run(1_000);
    expect(flight.chunks.length).toBeGreaterThan(0);
    flight.spacecraft = flight.newSpacecraft();
    flight.content = Buffer.from(CONTENT.map((byte) => byte ^ 0xff));
    flight.call();
    flight.run(5_000);
    expect(flight.call()).toEqual({ outcome: 'completed' });
    const own = flight.chunks.filter(({ file }) => file === '7');
    expect(Buffer.concat(own.map(({ data }) => Buffer.from(data))).equals(flight.content)).toBe(true);
    expect(flight.call(other)).toEqual({ outcome: 'failed', reason: 'nothing is received any more' });
  });

  it('another content takes the place of an upload that is under way', () => {
    const flight = new Flight();
    flight.call(UP);
    flight.run(500);
    flight.call({ ...UP, source: 'cd34' });
    flight.run(100);
    expect(flight.ground.wanted().map(({ source }) => source)).not.toContain('ab12');
    expect(flight.until({ ...UP, source: 'cd34' })).toEqual({ outcome: 'completed' });
  });
});
