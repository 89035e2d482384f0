/** The writer against a socket whose kernel the test plays. */

import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { FOLLOW_BUFFER_BYTES, FOLLOW_LOG_QUEUE_BYTES } from '../../contract/limits/connection.ts';
import { frontEndMetrics } from '../../http/metrics.ts';
import { SocketWriter, type Wire } from '../../http/uws/socket-writer.ts';
import { until } from '../support/until.ts';

/** Takes everything; nothing leaves its buffer until `take()`. */
function stubbornSocket() {
  const sent: string[] = [];
  let corks = 0;
  let buffered = 0;
  let ended: { code: number | undefined; reason: string } | undefined;
  const wire: Wire = {
    send(message) {
      sent.push(String(message));
      buffered += (message as string).length;
      return 0;
    },
    getBufferedAmount: () => buffered,
    cork(write) {
      corks += 1;
      write();
      return wire as never;
    },
    end(code, reason) {
      ended = { code, reason: String(reason) };
    },
  };
  return {
    wire,
    sent,
    take: () => {
      buffered = 0;
    },
    corks: () => corks,
    ended: () => ended,
  };
}

const metrics = () => frontEndMetrics(new Registry());
const kilobyte = 'x'.repeat(1024);

describe('the writer of a socket', () => {
  it('socket-writer.W1 sends what one turn queued in one cork', async () => {
    const socket = stubbornSocket();
    const writer = new SocketWriter('log', metrics());
    writer.attach(socket.wire);
    writer.flush();
    const before = socket.corks();
    for (let index = 0; index < 10; index += 1) writer.push(`${index}`);
    await until(() => socket.sent.length === 10);
    expect(socket.corks()).toBe(before + 1);
    expect(socket.sent.join('')).toBe('0123456789');
  });

  it('http/follow.F3 keeps what was written before the upgrade and sends it first', () => {
    const socket = stubbornSocket();
    const writer = new SocketWriter('log', metrics());
    writer.push('first');
    writer.attach(socket.wire);
    writer.flush();
    expect(socket.sent).toEqual(['first']);
  });

  it('socket-writer.W2 stops at the bound of the socket and goes on when it is drained', async () => {
    const socket = stubbornSocket();
    const writer = new SocketWriter('log', metrics());
    writer.attach(socket.wire);
    writer.flush();
    for (let index = 0; index < 200; index += 1) writer.push(kilobyte);
    await until(() => socket.sent.length > 0);
    expect(socket.sent.length).toBe(FOLLOW_BUFFER_BYTES / 1024 + 1);
    expect(writer.room()).toBeInstanceOf(Promise);
    socket.take();
    writer.drained();
    expect(socket.sent.length).toBe(2 * (FOLLOW_BUFFER_BYTES / 1024 + 1));
  });

  it('makes a replay wait for room, and lets it go on when there is some or the client has gone', async () => {
    const socket = stubbornSocket();
    const writer = new SocketWriter('log', metrics());
    writer.attach(socket.wire);
    writer.flush();
    for (let index = 0; index < 150; index += 1) writer.push(kilobyte);
    const room = writer.room();
    await until(() => socket.sent.length > 0);
    socket.take();
    writer.drained();
    await room;
    for (let index = 0; index < 200; index += 1) writer.push(kilobyte);
    const never = writer.room();
    writer.detach();
    await never;
    expect(writer.room()).toBeUndefined();
  });

  it('T3 socket-writer.W3 http/follow.F1 closes a log that is too far behind with 4408, without a gap before', async () => {
    const socket = stubbornSocket();
    const writer = new SocketWriter('log', metrics());
    writer.attach(socket.wire);
    writer.flush();
    const many = FOLLOW_LOG_QUEUE_BYTES / 1024 + 1;
    for (let index = 0; index < many; index += 1) writer.push(`${index}`.padEnd(1024));
    expect(socket.ended()).toEqual({ code: 4408, reason: 'slow consumer' });
    for (const [index, message] of socket.sent.entries()) expect(Number(message)).toBe(index);
  });

  it('http/follow.F2 never closes a slow follower of values, and gives it the newest of each', async () => {
    const socket = stubbornSocket();
    const writer = new SocketWriter('latest', metrics());
    writer.attach(socket.wire);
    writer.flush();
    for (let round = 0; round < 100; round += 1) {
      for (let key = 0; key < 100; key += 1) writer.push(`${key}:${round}`.padEnd(1024), key);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(socket.ended()).toBeUndefined();
    const before = socket.sent.length;
    expect(before).toBeLessThan(200);
    for (let round = 0; round < 3; round += 1) {
      socket.take();
      writer.drained();
    }
    const newest = new Map(socket.sent.map((text) => text.trim().split(':') as [string, string]));
    expect([...newest.values()].filter((round) => round === '99')).toHaveLength(100);
  });

  it('http/follow.F8 leaves nothing out of a content, and never closes a slow reader of it', async () => {
    const socket = stubbornSocket();
    const binary: boolean[] = [];
    const { send } = socket.wire;
    socket.wire.send = (message, isBinary, compress) => {
      binary.push(isBinary === true);
      return send(message, isBinary, compress);
    };
    const writer = new SocketWriter('held', metrics());
    writer.attach(socket.wire);
    const parts = (2 * FOLLOW_LOG_QUEUE_BYTES) / 1024;
    for (let index = 0; index < parts; index += 1) writer.push(kilobyte);
    while (socket.sent.length < parts) {
      socket.take();
      writer.drained();
    }
    expect(socket.ended()).toBeUndefined();
    expect(binary).toEqual(binary.map(() => true));
  });

  it('finishes only after everything queued was sent', async () => {
    const socket = stubbornSocket();
    const writer = new SocketWriter('log', metrics());
    writer.attach(socket.wire);
    writer.flush();
    for (let index = 0; index < 100; index += 1) writer.push(kilobyte);
    writer.finish(1000, 'VERIFIED');
    writer.push('after the end');
    await until(() => socket.sent.length > 0);
    expect(socket.ended()).toBeUndefined();
    socket.take();
    writer.drained();
    expect(socket.sent).toHaveLength(100);
    expect(socket.ended()).toEqual({ code: 1000, reason: 'VERIFIED' });
  });
});
