/** What a command to a run is answered, and when the answer is that nobody knows yet. */

import { beforeEach, describe, expect, it } from 'vitest';
import { Control } from '../../../actors/run/control.ts';
import type { Wish } from '../../../actors/run/open-run.ts';
import type { Wishes } from '../../../actors/run/wishes.ts';
import { header } from '../../../contract/bus/headers.ts';
import { RUN_CONTROL_KEPT, RUN_CONTROL_MS } from '../../../contract/limits/run.ts';
import type { ControlCall, ControlReply } from '../../../contract/run-wire.ts';
import type { RunCommand } from '../../../machines/run/protocol.ts';
import type { Bus, CoreMessage, Headers } from '../../../ports/bus.ts';
import { HeapClock } from '../../../supervision/clock.ts';
import { until } from '../../support/until.ts';

const RUN = '01J5ZK3M8QW7V9XH2C4T6R8YAC';
const RESUME: ControlCall = { action: 'resume', by: 'ana', choice: 'replay' };
const SUSPEND: ControlCall = { action: 'suspend', by: 'ana' };

let clock: HeapClock;
let wish: Wish | undefined;
let reported: RunCommand[];
let trouble: string | undefined;
let holds: boolean;
let control: Control;
let ask: (call: unknown, headers?: Headers) => Promise<ControlReply>;
let stopped: boolean;
/** Lets the bus answer its question. */
let answerBus: () => void;

beforeEach(() => {
  clock = new HeapClock(1_700_000_000_000);
  wish = undefined;
  reported = [];
  trouble = undefined;
  holds = true;
  stopped = false;
  let answer: (message: CoreMessage) => Promise<Uint8Array>;
  const bus = {
    serve: (_subject: string, serving: typeof answer) => {
      answer = serving;
      return {
        stop: async () => {
          stopped = true;
        },
      };
    },
    last: () =>
      new Promise<undefined>((resolve) => {
        answerBus = () => resolve(undefined);
      }),
  } as Partial<Bus> as Bus;
  const wishes = {
    of: () => wish,
    keep: async (_run: string, by: string) => {
      wish = { by };
    },
    forget: async (_run: string, forgotten: Wish | undefined) => {
      if (wish === forgotten) wish = undefined;
    },
  } as Partial<Wishes> as Wishes;
  control = new Control({
    bus,
    clock,
    wishes,
    holds: () => holds,
    tell: (_run, command) => {
      if (trouble === undefined) reported.push(command);
      return trouble;
    },
  });
  control.serve(RUN);
  ask = async (call, headers = {}) => {
    const data = Buffer.from(typeof call === 'string' ? call : JSON.stringify(call));
    const reply = await answer({ subject: '', headers, data });
    return JSON.parse(Buffer.from(reply).toString()) as ControlReply;
  };
});

/** The request under which the chart received the command. */
async function request(): Promise<string> {
  const command = await until(() => reported.at(-1));
  return (command as { request: string }).request;
}

describe('a command to a run', () => {
  it('is answered as the chart says', async () => {
    const accepted = ask(RESUME);
    control.replied({ type: 'effect.reply', request: await request(), outcome: 'accepted' });
    expect(await accepted).toEqual({ outcome: 'accepted' });
    reported = [];
    const refused = ask(RESUME);
    const reply = { outcome: 'refused', reason: 'sat1 is held by run x' } as const;
    control.replied({ type: 'effect.reply', request: await request(), ...reply });
    expect(await refused).toEqual(reply);
  });

  it.each([
    ['another word', { action: 'restart', by: 'ana' }],
    ['another word, with a choice', { action: 'restart', by: 'ana', choice: 'replay' }],
    ['nobody', { action: 'suspend' }],
    ['a choice that is no word', { action: 'resume', by: 'ana', choice: 1 }],
    ['nothing', null],
    ['no JSON', '{"action":"abort"'],
  ])('that is unknown or malformed is refused, and the run is not reached: %s', async (_, call) => {
    expect(await ask(call)).toEqual({ outcome: 'refused', reason: 'the command is unknown' });
    expect(reported).toEqual([]);
  });

  it.each([
    [{ action: 'suspend', by: 'ana' }, { type: 'command.suspend' }],
    [{ action: 'suspend', by: 'ana', reaction: false }, { type: 'command.suspend' }],
    [{ action: 'suspend', by: 'ana', reaction: true }, { type: 'command.preempt' }],
    [{ action: 'abort', by: 'ana' }, { type: 'command.abort' }],
    [
      { action: 'resume', by: 'ana' },
      { type: 'command.resume', choice: 'replay' },
    ],
    [
      { action: 'resume', by: 'ana', choice: 'next' },
      { type: 'command.resume', choice: 'next' },
    ],
  ])('reaches the run as what it is: %j', async (call, command) => {
    const answered = ask(call);
    const asked = await request();
    expect(reported).toEqual([{ at: clock.now(), by: 'ana', request: asked, ...command }]);
    control.replied({ type: 'effect.reply', request: asked, outcome: 'accepted' });
    expect(await answered).toEqual({ outcome: 'accepted' });
  });

  it('that could not be delivered is refused with the reason', async () => {
    trouble = 'too much waits for the run';
    expect(await ask(RESUME)).toEqual({ outcome: 'refused', reason: trouble });
  });

  it('run/control.D3 that the run did not come to in time is not called refused: it may still be carried out', async () => {
    const reply = ask(RESUME);
    await request();
    clock.advance(RUN_CONTROL_MS);
    expect(await reply).toMatchObject({ outcome: 'unknown' });
  });

  it('run/control.D3 that its executor left is not called refused: it may be in the log already', async () => {
    const reply = ask(RESUME);
    await request();
    await control.stop();
    expect(await reply).toMatchObject({ outcome: 'unknown' });
  });

  it('run/control.D4 a resumption that comes late spends the suspension pending before it all the same', async () => {
    wish = { by: 'bea' };
    const reply = ask(RESUME);
    const asked = await request();
    clock.advance(RUN_CONTROL_MS);
    await reply;
    expect(wish).toEqual({ by: 'bea' });
    control.replied({ type: 'effect.reply', request: asked, outcome: 'accepted' });
    await until(() => wish === undefined);
  });

  it('run/control.D4 a suspension that is not answered in time stands until it is refused', async () => {
    const reply = ask(SUSPEND);
    const asked = await request();
    clock.advance(RUN_CONTROL_MS);
    expect(await reply).toMatchObject({ outcome: 'unknown' });
    expect(wish).toEqual({ by: 'ana' });
    control.replied({
      type: 'effect.reply',
      request: asked,
      outcome: 'refused',
      reason: 'the run is ending',
    });
    await until(() => wish === undefined);
  });

  it.each([undefined, { by: 'zoe' }])(
    'run/control.D4 a late refusal leaves the pending suspension of somebody behind it (%j before it)',
    async (before) => {
      wish = before;
      const late = ask(SUSPEND);
      const asked = await request();
      clock.advance(RUN_CONTROL_MS);
      await late;
      reported = [];
      const next = ask({ action: 'suspend', by: 'bea' });
      const second = await request();
      control.replied({
        type: 'effect.reply',
        request: asked,
        outcome: 'refused',
        reason: 'the run is ending',
      });
      control.replied({ type: 'effect.reply', request: second, outcome: 'accepted' });
      expect(await next).toEqual({ outcome: 'accepted' });
      // What the late refusal leads to is done by then.
      await new Promise((resolve) => setImmediate(resolve));
      expect(wish).toEqual({ by: 'bea' });
    },
  );

  it.each([RESUME, SUSPEND, { action: 'abort', by: 'ana' }] as ControlCall[])(
    'run/control.D5 that is repeated under its identifier reaches the chart once: %j',
    async (call) => {
      const id = { [header.request]: 'one' };
      const first = ask(call, id);
      const asked = await request();
      const second = ask(call, id);
      control.replied({ type: 'effect.reply', request: asked, outcome: 'accepted' });
      expect([await first, await second, await ask(call, id)]).toEqual(
        Array(3).fill({ outcome: 'accepted' }),
      );
      expect(reported).toHaveLength(1);
      const other = ask(call, { [header.request]: 'two' });
      await until(() => reported.length === 2);
      control.replied({ type: 'effect.reply', request: await request(), outcome: 'accepted' });
      await other;
    },
  );

  it('run/control.D5 remembers so many and no more', async () => {
    trouble = 'busy';
    for (let n = 0; n <= RUN_CONTROL_KEPT; n += 1) await ask(RESUME, { [header.request]: String(n) });
    trouble = undefined;
    expect(await ask(RESUME, { [header.request]: String(RUN_CONTROL_KEPT) })).toMatchObject({
      reason: 'busy',
    });
    const forgotten = ask(RESUME, { [header.request]: '0' });
    control.replied({ type: 'effect.reply', request: await request(), outcome: 'accepted' });
    expect(await forgotten).toEqual({ outcome: 'accepted' });
  });

  it('run/command.M4 says which log its caller had seen', async () => {
    void ask(RESUME, { [header.seen]: '12' });
    expect(await until(() => reported.at(-1))).toMatchObject({ type: 'command.resume', seen: 12 });
  });

  it.each([RESUME, SUSPEND, { action: 'abort', by: 'ana' }] as ControlCall[])(
    'run/control.D6 a process that no longer holds the run sends it nothing and keeps no suspension: %j',
    async (call) => {
      holds = false;
      expect(await ask(call)).toMatchObject({ outcome: 'unknown', again: true });
      expect([reported, wish]).toEqual([[], undefined]);
    },
  );

  it('run/control.D6 what it says of the run after it lost it is not passed on', async () => {
    const reply = ask(SUSPEND);
    const asked = await request();
    holds = false;
    control.replied({
      type: 'effect.reply',
      request: asked,
      outcome: 'refused',
      reason: 'the run is ending',
    });
    expect(await reply).toMatchObject({ outcome: 'unknown', again: true });
    expect(wish, 'the next owner finds it').toEqual({ by: 'ana' });
  });

  it('run/control.D2 what waits in the socket while the shard is left is answered before the subject is given up', async () => {
    holds = false;
    await control.stop();
    expect(stopped).toBe(false);
    expect(await ask(SUSPEND)).toMatchObject({ outcome: 'unknown', again: true });
    answerBus();
    await until(() => stopped);
  });

  it('to a run that ended meanwhile is answered that it is over', async () => {
    const reply = ask(RESUME);
    await request();
    await control.withdraw(RUN);
    expect(await reply).toEqual({ outcome: 'over' });
  });
});
