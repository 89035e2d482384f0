import { describe, expect, it } from 'vitest';
import type { ProgramStatement } from '../../../contract/program.ts';
import type { RunChartEvent } from '../../../machines/run/protocol.ts';
import { runMachine } from '../../../machines/run/run.ts';
import { everyName } from '../../harness/state-name.ts';
import {
  ask,
  askTyped,
  Bench,
  confirm,
  ended,
  expecting,
  log,
  program,
  type Reply,
  send,
  setMode,
  step,
  upload,
  wait,
  well,
} from './bench.ts';

type Told = RunChartEvent['type'];

function begun(...statements: readonly ProgramStatement[]): Bench {
  return Bench.start(program([step('a', statements)])).reply({ type: 'prepared' });
}

const failingSends: Reply = (effect) =>
  effect.type === 'effect.send' ? ended(effect.tc, 'REJECTED') : well(effect);

function pausing(): Bench {
  const of = program([step('a', [send('ping')], { attempts: 2, delayMs: 1_000 })]);
  const bench = Bench.start(of).reply({ type: 'prepared' });
  return bench.reply(ended(bench.of('telecommand_sent')[0]!.tc, 'REJECTED'));
}

function ending(): Bench {
  const faults = [{ target: 'sat1', gateway: 'sim', fault: 'mute', at: { afterMs: 0 }, off: null }];
  const bench = Bench.start(program([step('a', [log('x')])], { faults })).reply({ type: 'prepared' });
  return bench;
}

const suspended = () => begun(wait(5)).command('preempt').reply({ type: 'released' });

interface Place {
  readonly there: () => Bench;
  /** Replies that count, with the ticket awaited. */
  readonly replies: readonly Told[];
}

// Every state the chart can stand in, a way there, and what it waits for.
const PLACES: Record<string, Place> = {
  preparing: {
    there: () => Bench.start(program([step('a', [log('x')])])),
    replies: ['prepared', 'not-prepared'],
  },
  'running.sending': { there: () => begun(send('ping')), replies: ['telecommand.ended'] },
  'running.judging': { there: () => begun(expecting()), replies: ['judged'] },
  'running.writing': { there: () => begun(log({ name: 'n' })), replies: ['written'] },
  'running.waiting': { there: () => begun(wait(5)), replies: ['woken'] },
  'running.settingMode': { there: () => begun(setMode('SAFE')), replies: ['done', 'failed'] },
  'running.transferring': {
    there: () => begun({ kind: 'download', target: 'sat1', component: 'f', file: { value: 7 }, priority: 1 }),
    replies: ['done', 'failed'],
  },
  'running.asking': { there: () => begun(ask({ timeoutMs: 5 })), replies: ['woken'] },
  'running.confirming': { there: () => begun(confirm('op')), replies: [] },
  'running.readingAnswer': {
    there: () => begun(askTyped('gain')).answer('a', { value: 3 }),
    replies: ['answer.read', 'answer.unreadable'],
  },
  'running.pausing': { there: pausing, replies: ['woken'] },
  waitingDecision: { there: () => begun(send('ping')).play(failingSends), replies: [] },
  suspending: { there: () => begun(wait(5)).command('preempt'), replies: ['released'] },
  suspended: { there: suspended, replies: [] },
  resuming: { there: () => suspended().command('resume'), replies: ['prepared', 'not-prepared'] },
  retaking: {
    there: () => {
      const { input, events } = begun(wait(5));
      return Bench.restored(input, events).tell({ type: 'recovered', by: 'x2' });
    },
    replies: ['prepared', 'not-prepared'],
  },
  'ending.switchingOff': { there: ending, replies: ['fault.switched', 'fault.refused'] },
  'ending.lookingBack': { there: () => begun(upload()).reply({ type: 'done' }), replies: ['uploads.seen'] },
  'ending.releasing': { there: () => begun(log('x')), replies: ['released'] },
  finished: { there: () => begun(log('x')).play(), replies: [] },
  recovering: {
    there: () => {
      const { input, events } = begun(wait(5));
      return Bench.restored(input, events);
    },
    replies: ['recovered'],
  },
};

const REPLIES: readonly ({ type: Told } & Record<string, unknown>)[] = [
  { type: 'prepared' },
  { type: 'not-prepared', reason: 'held' },
  { type: 'released' },
  { type: 'uploads.seen', uploads: ['half of it is on board'] },
  { type: 'telecommand.ended', tc: 'x', state: 'VERIFIED', acks: [] },
  { type: 'judged', ok: true, samples: [] },
  { type: 'written', text: 'text', samples: [] },
  { type: 'answer.read', value: 1 },
  { type: 'answer.unreadable', reason: 'why' },
  { type: 'done' },
  { type: 'failed', reason: 'why' },
  { type: 'woken' },
  { type: 'fault.switched', fault: 0, on: true },
  { type: 'fault.refused', fault: 0, on: true, reason: 'why' },
  { type: 'recovered', by: 'x2' },
];

/** What the reply did: nothing, or the chart moved, knows more, or said something. */
function moves(bench: Bench, reply: (typeof REPLIES)[number], ticket: number): boolean {
  const { driven } = bench;
  const [state, emitted, context] = [bench.state, driven.emitted.length, JSON.stringify(driven.context)];
  bench.tell({ ...reply, ticket });
  return (
    bench.state !== state || driven.emitted.length !== emitted || JSON.stringify(driven.context) !== context
  );
}

describe('the states of a run', () => {
  it('are all there, each for what is under way', () => {
    const inPassing = ['running.choosing', 'running.failing', 'ending.beginning', 'ending.checking'];
    const names = everyName(runMachine)
      .filter((name) => name.startsWith('control.'))
      .map((name) => name.slice('control.'.length));
    expect(Object.keys(PLACES).sort()).toEqual(names.filter((name) => !inPassing.includes(name)).sort());
    for (const [state, { there }] of Object.entries(PLACES)) expect(there().state).toBe(state);
  });

  it.each(Object.entries(PLACES))(
    '%s takes the replies it waits for and no other',
    (_state, { there, replies }) => {
      for (const reply of REPLIES) {
        const bench = there();
        expect(moves(bench, reply, bench.driven.context.tickets), reply.type).toBe(
          replies.includes(reply.type),
        );
      }
    },
  );

  it.each(Object.entries(PLACES))('%s passes over a reply that comes too late', (_state, { there }) => {
    for (const reply of REPLIES) {
      if (reply.type === 'recovered' || reply.type.startsWith('fault')) continue;
      expect(moves(there(), reply, 99), reply.type).toBe(false);
    }
  });

  it.each(Object.entries(PLACES))('%s survives being stored, and goes on', (state, { there }) => {
    const { driven } = there();
    const stood = driven.state;
    expect(stood).toContain(`control.${state}`);
    driven.crash();
    expect(driven.state).toBe(stood);
  });

  it.each(Object.entries(PLACES))(
    'MC-STM-018 abort ends a run that is %s, or waits for what is under way',
    (state, { there }) => {
      if (state === 'finished') return;
      const bench = there().command('abort', { request: 'abort-1' });
      if (state === 'recovering') bench.tell({ type: 'recovered', by: 'x2' });
      if (state === 'ending.switchingOff')
        bench.tell({ type: 'fault.refused', fault: 0, on: true, reason: 'why' });
      bench.play();
      expect(bench.state).toBe('finished');
      const isOver = state === 'ending.releasing';
      expect(bench.of('finished')[0]).toMatchObject(
        isOver ? { ok: true } : { ok: false, reason: 'aborted by bob' },
      );
      expect(bench.replies.filter(({ request }) => request === 'abort-1')).toMatchObject([
        { outcome: isOver ? 'over' : 'accepted' },
      ]);
    },
  );

  it.each(Object.entries(PLACES))(
    'MC-STM-014 a suspension asked while %s is answered once, and takes place',
    (state, { there }) => {
      if (state === 'finished') return;
      const bench = there().command('preempt', { request: 'mine' });
      if (state === 'recovering') bench.tell({ type: 'recovered', by: 'x2' });
      const late = {
        'ending.lookingBack': 'refused',
        'ending.switchingOff': 'refused',
        'ending.releasing': 'over',
      }[state];
      expect(bench.replies.filter(({ request }) => request === 'mine')).toMatchObject([
        { outcome: late ?? 'accepted' },
      ]);
      bench.play(well, () => bench.state === 'suspended');
      if (late === undefined) expect(bench.state).toBe('suspended');
    },
  );
});
