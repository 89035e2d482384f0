/** Lists of the log say what is missing in them, what the archive has not read too. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { logPages } from '../../cli/log-pages.ts';

it('what the newest page has not read yet is missing at the top, and is said', async () => {
  const pages = [
    { items: ['b'], gaps: [], damaged: 0, pending: 3, next: 'older' },
    { items: ['a'], gaps: [{}], damaged: 1, pending: 7 },
  ];
  const server = createServer((_, response) => void response.end(JSON.stringify(pages.shift())));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const service = { api, user: 'ada', roles: undefined, token: undefined };
  const listed = await logPages(service, '/v1/events', new URLSearchParams(), {
    limit: 2,
    itemsOf: ({ items }: (typeof pages)[number]) => items,
  });
  expect(listed).toEqual({
    items: ['b', 'a'],
    more: false,
    pending: 3,
    said: [
      'the archive has 3 messages still to read: what happened last is missing',
      '1 gaps: messages of the log were lost before they were archived',
      '1 segments of the archive cannot be read',
    ],
  });
  server.closeAllConnections();
  server.close();
});
