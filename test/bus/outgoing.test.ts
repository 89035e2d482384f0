/** When messages leave: what one turn of the event loop sends leaves together, in its order. */

import type { NatsConnection } from 'nats';
import { describe, expect, it } from 'vitest';
import { Outgoing } from '../../bus/outgoing.ts';

const endOfTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A client that notes what it is given. */
function notingClient() {
  const published: string[] = [];
  const publish = (subject: string): void => {
    if (subject === 'refused') throw new Error('the client takes none');
    published.push(subject);
  };
  return { client: { publish } as unknown as NatsConnection, published };
}

function sending() {
  const { client, published } = notingClient();
  const outgoing = new Outgoing();
  outgoing.attach(client);
  const refused: unknown[] = [];
  const add = (subject: string, bytes = 1): void =>
    outgoing.add({
      subject,
      data: new Uint8Array(bytes),
      options: {},
      refused: (error) => refused.push(error),
    });
  return { outgoing, published, refused, add };
}

describe('messages on their way to the bus', () => {
  it('outgoing.D1 leave at the end of the turn in which they were sent, in their order', async () => {
    const { add, published } = sending();
    add('first');
    // Promises that go on from one another send in microtasks of their own.
    for (const subject of ['second', 'third']) {
      await Promise.resolve();
      add(subject);
    }
    expect(published).toEqual([]);
    await endOfTurn();
    expect(published).toEqual(['first', 'second', 'third']);
    add('fourth');
    await endOfTurn();
    expect(published).toEqual(['first', 'second', 'third', 'fourth']);
  });

  it('outgoing.D1 leave at once when they are many bytes, and none of them twice', async () => {
    const { add, published } = sending();
    add('small');
    add('large', 40_000);
    expect(published).toEqual(['small', 'large']);
    add('next');
    await endOfTurn();
    expect(published).toEqual(['small', 'large', 'next']);
  });

  it('outgoing.D2 keep no other from leaving when the client refuses them', async () => {
    const { add, published, refused } = sending();
    for (const subject of ['before', 'refused', 'behind']) add(subject);
    await endOfTurn();
    expect(published).toEqual(['before', 'behind']);
    expect(refused).toEqual([new Error('the client takes none')]);
  });

  it('outgoing.D3 never leave over another connection, nor once theirs is lost', async () => {
    const { add, published, outgoing } = sending();
    const next = notingClient();
    add('lost');
    outgoing.clear();
    add('of the one before');
    outgoing.attach(next.client);
    add('of this one');
    await endOfTurn();
    expect([published, next.published]).toEqual([[], ['of this one']]);
  });
});
