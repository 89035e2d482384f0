/**
 * Several requests on one connection, and what is taken for another request, at both services: each is answered, or
 * nothing was begun because of it.
 */

import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { answers, bench, chunked, missionControl, type Service, text } from './changes.ts';
import { rawConnection } from './fixture.ts';

describe.each([
  ['mission control', missionControl],
  ['the bench', bench],
])('%s', (_name, start) => {
  let service: Service;
  beforeAll(async () => {
    service = await start();
    return () => service.close();
  });
  afterEach(() => service.hold()());

  const kinds =
    _name === 'the bench'
      ? ['a JSON body', 'no body', 'a body of bytes', 'a body and a client that may give up']
      : ['a JSON body', 'no body', 'content read in pieces'];

  it.each(kinds)(
    'plain.U17 five changes in one piece, with %s: none is begun, and the connection ends',
    async (kind) => {
      const before = service.begun().length;
      const client = await rawConnection(service.port);
      client.send(text(service.changes[kind]!).repeat(5));
      await until(() => client.closed(), { what: 'the connection to end' });
      expect(client.received()).toBe('');
      expect(service.begun()).toHaveLength(before);
    },
  );

  it.each(kinds)(
    'plain.U17 a change with %s and a request of another kind behind it: it is not begun',
    async (kind) => {
      const before = service.begun().length;
      const client = await rawConnection(service.port);
      client.send(`${text(service.changes[kind]!)}GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
      await until(() => client.closed(), { what: 'the connection to end' });
      expect(client.received()).toBe('');
      expect(service.begun()).toHaveLength(before);
    },
  );

  it.each(kinds.filter((kind) => !kind.includes('give up')))(
    'exchange.U16 each sent while the one before is under way, with %s: all are answered, in their order',
    async (kind) => {
      const before = service.begun().length;
      const client = await rawConnection(service.port);
      let release = service.hold();
      client.send(text(service.changes[kind]!));
      for (let n = 1; n <= 4; n += 1) {
        await until(() => service.begun().length === before + n, { what: `change ${n} to begin` });
        client.send(text(service.changes[kind]!));
        const next = service.hold;
        const answered = release;
        release = next();
        answered();
        await until(() => answers(client.received()).length === n, { what: `answer ${n}` });
      }
      release();
      await until(() => answers(client.received()).length === 5, { what: 'the last answer' });
      expect(new Set(answers(client.received()))).toEqual(new Set(['HTTP/1.1 200']));
      expect(service.begun()).toHaveLength(before + 5);
      client.destroy();
    },
  );

  it('exchange.U16 plain.U17 two that wait behind one under way: that one is answered, those are not begun', async () => {
    const before = service.begun().length;
    const client = await rawConnection(service.port);
    const release = service.hold();
    const change = text(service.changes['a JSON body']!);
    client.send(change);
    await until(() => service.begun().length === before + 1, { what: 'the first to begin' });
    client.send(change + change);
    release();
    await until(() => client.closed(), { what: 'the connection to end' });
    expect(answers(client.received())).toEqual(['HTTP/1.1 200']);
    expect(service.begun()).toHaveLength(before + 1);
  });

  it('plain.U17 a chunked body with a trailer: it is not begun; without one it is', async () => {
    const before = service.begun().length;
    const change = service.changes['a JSON body']!;
    const client = await rawConnection(service.port);
    client.send(chunked(change, 'Checksum: 1\r\n'));
    await until(() => client.closed(), { what: 'the connection to end' });
    expect(service.begun()).toHaveLength(before);
    const plain = await rawConnection(service.port);
    plain.send(chunked(change, ''));
    await until(() => answers(plain.received()).length === 1, { what: 'the answer' });
    expect(answers(plain.received())).toEqual(['HTTP/1.1 200']);
    plain.destroy();
  });

  it('exchange.U16 a client that says it will send no more gets its answer', async () => {
    const client = await rawConnection(service.port);
    const before = service.begun().length;
    const release = service.hold();
    client.send(text(service.changes['a JSON body']!));
    await until(() => service.begun().length === before + 1, { what: 'the change to begin' });
    client.socket.end();
    release();
    await until(() => client.closed(), { what: 'the connection to end' });
    expect(answers(client.received())).toEqual(['HTTP/1.1 200']);
  });

  it.each([
    ['HTTP/1.0', 505, (change: string) => change.replace(' HTTP/1.1', ' HTTP/1.0')],
    ['the whole URL in its first line', 505, (change: string) => change.replace(' /', ' http://127.0.0.1/')],
    ['the preface of HTTP/2 before it', 505, (change: string) => `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${change}`],
    ['the beginning of TLS before it', 505, (change: string) => `\u0016\u0003\u0001\r\n\r\n${change}`],
    ['no Host', 400, (change: string) => change.replace('Host: 127.0.0.1\r\n', '')],
    [
      'a head of 20 kB',
      431,
      (change: string) => change.replace('Host:', `X: ${'x'.repeat(20_000)}\r\nHost:`),
    ],
    [
      'a head of 70 kB',
      431,
      (change: string) => change.replace('Host:', `X: ${'x'.repeat(70_000)}\r\nHost:`),
    ],
    ['99 headers', 431, (change: string) => change.replace('Host:', `${'X: y\r\n'.repeat(99)}Host:`)],
  ])('a change with %s is answered %i and not begun', async (_what, status, changed) => {
    const before = service.begun().length;
    const client = await rawConnection(service.port);
    client.send(changed(text(service.changes['a JSON body']!)));
    await until(() => answers(client.received()).length > 0 || client.closed(), { what: 'the answer' });
    expect(answers(client.received())).toEqual([`HTTP/1.1 ${status}`]);
    expect(service.begun()).toHaveLength(before);
    client.destroy();
  });

  it('several questions in one piece that are answered at once are answered in their order', async () => {
    const client = await rawConnection(service.port);
    const ask = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
    client.send(ask('/first') + ask('/second') + ask('/third'));
    await until(() => client.received().includes('/third'), { what: 'the last answer' });
    const paths = [...client.received().matchAll(/no route GET \/(\w+)/g)].map(([, path]) => path);
    expect(paths).toEqual(['first', 'second', 'third']);
    client.destroy();
  });
});
