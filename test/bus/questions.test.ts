import type { Msg, NatsConnection } from 'nats';
import { describe, expect, it } from 'vitest';
import { Outgoing } from '../../bus/outgoing.ts';
import { Questions } from '../../bus/questions.ts';

interface Sent {
  readonly subject: string;
  readonly reply: string;
}

/** A client that only notes what was asked; the test answers. */
function silentClient() {
  const sent: Sent[] = [];
  let hear: (error: null, message: Msg) => void = () => undefined;
  let inbox = '';
  const client = {
    publish: (subject: string, _data: Uint8Array, { reply }: { reply: string }) => {
      if (subject === 'closed') throw new Error('the client is closed');
      sent.push({ subject, reply });
    },
    subscribe: (subject: string, { callback }: { callback: typeof hear }) => {
      inbox = subject;
      hear = callback;
    },
  };
  return {
    client: client as unknown as NatsConnection,
    sent,
    inbox: () => inbox,
    answer: (subject: string, text: string, code?: number) =>
      hear(null, { subject, data: Buffer.from(text), ...(code && { headers: { code } }) } as unknown as Msg),
  };
}

const DATA = Buffer.from('?');

function asking() {
  const server = silentClient();
  const questions = new Questions('_MCS.test');
  questions.attach(server.client);
  const outgoing = new Outgoing();
  outgoing.attach(server.client);
  const ask = (subject: string, timeoutMs = 60_000) => {
    const answer = questions.ask(outgoing, subject, DATA, timeoutMs, undefined);
    outgoing.flush();
    return answer;
  };
  return { ...server, questions, ask };
}

describe('questions on a connection', () => {
  it('questions.Q2 are answered by the token of their inbox, in any order', async () => {
    const { ask, sent, answer, inbox } = asking();
    const [first, second] = [ask('mcs.a'), ask('mcs.b')];
    expect(inbox()).toMatch(/^_MCS\.test\.\w+\.\*$/);
    answer(sent[1]!.reply, 'b');
    answer(sent[0]!.reply, 'a');
    expect(Buffer.from((await first).data).toString()).toBe('a');
    expect(Buffer.from((await second).data).toString()).toBe('b');
  });

  it('questions.Q1 are settled once, whatever comes later', async () => {
    const { ask, sent, answer, questions } = asking();
    const question = ask('mcs.a');
    answer(sent[0]!.reply, 'first');
    answer(sent[0]!.reply, 'second');
    questions.abandon('lost');
    expect(Buffer.from((await question).data).toString()).toBe('first');
  });

  it('questions.Q1 end when nobody serves the subject', async () => {
    const { ask, sent, answer } = asking();
    const question = ask('mcs.a');
    answer(sent[0]!.reply, '', 503);
    await expect(question).rejects.toMatchObject({ code: 'bus.no-responder' });
  });

  it('questions.Q1 take an empty answer for an answer', async () => {
    const { ask, sent, answer } = asking();
    const question = ask('mcs.a');
    answer(sent[0]!.reply, '');
    expect((await question).data).toHaveLength(0);
  });

  it('questions.Q1 end with their time', async () => {
    await expect(asking().ask('mcs.a', 1)).rejects.toMatchObject({ code: 'bus.timeout' });
  });

  it('questions.Q1 end with the connection, all or those of a subject', async () => {
    const { ask, questions } = asking();
    const [refused, open] = [ask('mcs.a'), ask('mcs.b')];
    questions.abandon('not permitted', 'mcs.a');
    await expect(refused).rejects.toMatchObject({ code: 'bus.unavailable', message: 'not permitted' });
    questions.abandon('lost');
    await expect(open).rejects.toMatchObject({ code: 'bus.unavailable', message: 'lost' });
  });

  it('are an outage when the client takes none', async () => {
    await expect(asking().ask('closed')).rejects.toMatchObject({ code: 'bus.unavailable' });
  });
});
