import { describe, expect, it } from 'vitest';
import { telecommandIdOf } from '../../../contract/telecommand-id.ts';
import { runLogFaults } from '../../support/run-log-checker.ts';
import {
  ask,
  askTyped,
  Bench,
  change,
  configure,
  confirm,
  ended,
  expecting,
  log,
  policy,
  program,
  type Reply,
  RUN,
  send,
  setMode,
  step,
  wait,
  well,
} from './bench.ts';

const REFUSED = { state: 'VERIFY_FAILED' } as const;

function running(of: Parameters<typeof program>[0], over: Parameters<typeof program>[1] = {}): Bench {
  return Bench.start(program(of, over)).reply({ type: 'prepared' });
}

/** One step with these statements, begun. */
function inStep(statements: Parameters<typeof step>[1], over: Parameters<typeof program>[1] = {}): Bench {
  return running([step('a', statements), step('b', [log('behind')])], over);
}

function sound(bench: Bench): Bench {
  expect(runLogFaults(bench.events, { ended: true })).toEqual([]);
  return bench;
}

const failingSends: Reply = (effect) =>
  effect.type === 'effect.send' ? ended(effect.tc, REFUSED.state) : well(effect);
const decision = (bench: Bench) => bench.of('decision_required')[0]?.reason;

describe('telecommands of a run', () => {
  it('MC-LOG-008 MC-LOG-009 logs telecommand_sent in the turn that asks for the sending, its identifier given by its place', () => {
    const bench = inStep([change('fire', { instance: { value: 'A' } })]);
    const sent = bench.of('telecommand_sent')[0]!;
    expect(sent).toMatchObject({
      path: 'a',
      target: 'sat1',
      telecommand: 'obc[A].fire',
      changes_state: true,
      tc: telecommandIdOf(RUN, sent.seq, Date.parse(sent.at)),
    });
    expect(bench.asked.at(-1)).toMatchObject({ type: 'effect.send', tc: sent.tc, path: 'a' });
    expect(bench.driven.emitted.findLastIndex((item) => item.type === 'record')).toBe(
      bench.driven.emitted.findIndex((item) => item.type === 'effect.send') - 1,
    );
  });

  it.each(['VERIFIED', 'COMPLETE'])('MC-LOG-011 %s is a good end, logged with its acks', (state) => {
    const acks = [{ state: 'SENT', at: '2026-01-02T03:04:05.678Z' }];
    const bench = inStep([send('ping')]);
    const { tc } = bench.of('telecommand_sent')[0]!;
    bench.reply({ type: 'telecommand.ended', tc, state, acks });
    expect(bench.of('telecommand_finished')).toMatchObject([{ path: 'a', tc, state, acks }]);
    expect(bench.of('logged')).toHaveLength(1);
  });

  it.each(['REJECTED', 'ENCODE_FAILED', 'SEND_FAILED', 'VERIFY_FAILED', 'VERIFY_TIMEOUT'])(
    'MC-LOG-011 %s fails the step, with its detail',
    (state) => {
      const bench = inStep([send('ping')]);
      bench.reply(ended(bench.of('telecommand_sent')[0]!.tc, state, 'why'));
      expect(bench.of('telecommand_finished')).toMatchObject([{ state, detail: 'why' }]);
      expect(decision(bench)).toBe(`obc.ping ended ${state}: why`);
    },
  );

  it('MC-LOG-010 sends one that changes nothing again as often as written, each naming the one before', () => {
    const bench = inStep([send('one'), send('ping', { retry: 2 })]);
    bench.reply(ended(bench.of('telecommand_sent')[0]!.tc, 'COMPLETE')).play(failingSends);
    const [one, ...pings] = bench.of('telecommand_sent');
    expect(pings).toHaveLength(3);
    expect(pings.map(({ retry_of: of }) => of)).toEqual([undefined, pings[0]!.tc, pings[1]!.tc]);
    expect(new Set([one, ...pings].map((each) => each!.tc)).size).toBe(4);
    expect(bench.state).toBe('waitingDecision');
  });

  it('MC-STM-014 sends nothing again once a suspension is wished: it takes place at the end of the sending (run/sending.N3)', () => {
    const bench = inStep([send('ping', { retry: 2 })]);
    bench.command('suspend');
    expect(bench.state).toBe('running.sending');
    bench.reply(ended(bench.of('telecommand_sent')[0]!.tc, 'VERIFY_TIMEOUT'));
    expect(bench.state).toBe('suspending');
    expect(bench.of('telecommand_sent')).toHaveLength(1);
  });

  it('never sends one that changes the state again by itself (run/sending.N3)', () => {
    const bench = inStep([change('fire', { retry: 5 })]).play(failingSends);
    expect(bench.of('telecommand_sent')).toHaveLength(1);
    expect(bench.state).toBe('waitingDecision');
  });

  it('MC-LOG-010 names in a later attempt the telecommand of the same place', () => {
    const statements = [send('one'), send('two', { retry: 1 }), send('three')];
    let threes = 0;
    const once: Reply = (effect) => {
      if (effect.type !== 'effect.send') return well(effect);
      const { telecommand } = effect.statement;
      if (telecommand === 'three') threes += 1;
      return ended(effect.tc, telecommand === 'three' && threes === 1 ? 'REJECTED' : 'COMPLETE');
    };
    const bench = sound(running([step('a', statements, { attempts: 2 })]).play(once));
    const sent = bench.of('telecommand_sent');
    expect(sent.slice(3).map(({ retry_of: of }) => of)).toEqual(sent.slice(0, 3).map(({ tc }) => tc));
    expect(sent.slice(0, 3).map(({ retry_of: of }) => of)).toEqual([undefined, undefined, undefined]);
  });
});

describe('hazardous telecommands', () => {
  const hazardous = change('fire', { hazardous: true });
  const two = policy({ hazardousConfirmation: ['operator', 'supervisor'] });
  const operator = { roles: ['operator'] };
  const both = { roles: ['operator', 'supervisor'] };

  it('MC-ANS-012 MC-ANS-013 MC-LOG-014 asks one confirmation for each role in their order before it leaves', () => {
    const bench = inStep([hazardous], two);
    expect(bench.of('asked')).toMatchObject([
      { path: 'a', role: 'operator', prompt: 'hazardous: obc.fire to sat1; to be confirmed by operator' },
    ]);
    expect(bench.kinds).not.toContain('telecommand_sent');
    bench.answer('a', operator);
    expect(bench.of('asked').map(({ role }) => role)).toEqual(['operator', 'supervisor']);
    expect(bench.kinds).not.toContain('telecommand_sent');
    bench.answer('a', { by: 'eve', ...both });
    expect(bench.of('answered')).toMatchObject([
      { by: 'ada', role: 'operator' },
      { by: 'eve', role: 'supervisor' },
    ]);
    expect(bench.kinds.at(-1)).toBe('telecommand_sent');
    sound(bench.play());
  });

  it('MC-ANS-010 MC-ANS-006 MC-LOG-017 refuses who lacks the role and waits on', () => {
    const bench = inStep([hazardous], two).answer('a', { by: 'eve', roles: ['supervisor'], source: 7 });
    expect(bench.state).toBe('running.confirming');
    expect(bench.of('answer_refused')).toMatchObject([
      { path: 'a', by: 'eve', reason: 'the role operator is needed' },
    ]);
  });

  it('MC-ANS-011 MC-ANS-032 refuses who has already confirmed the step, holding the other role too', () => {
    const bench = inStep([hazardous], two).answer('a', both).answer('a', both);
    expect(bench.of('answer_refused')).toMatchObject([
      { by: 'ada', reason: 'ada has already confirmed this step' },
    ]);
    expect(bench.kinds).not.toContain('telecommand_sent');
  });

  it('MC-ANS-011 refuses the first of three again as the third', () => {
    const three = policy({ hazardousConfirmation: ['operator', 'supervisor', 'director'] });
    const bench = inStep([hazardous], three)
      .answer('a', operator)
      .answer('a', { by: 'eve', ...both });
    const all = { roles: ['operator', 'supervisor', 'director'] };
    bench.answer('a', all);
    expect(bench.of('answer_refused')).toMatchObject([
      { by: 'ada', reason: 'ada has already confirmed this step' },
    ]);
    expect(bench.kinds).not.toContain('telecommand_sent');
    expect(bench.answer('a', { by: 'tim', ...all }).kinds.at(-1)).toBe('telecommand_sent');
  });

  it('asks again in a later attempt', () => {
    const bench = inStep([hazardous], two)
      .answer('a', operator)
      .answer('a', { by: 'eve', ...both });
    bench.play(failingSends).decide('replay');
    expect(bench.state).toBe('running.confirming');
    expect(bench.of('asked').at(-1)!.role).toBe('operator');
  });

  it('MC-ANS-010 asks none of a telecommand that is not hazardous, and names those of the step that are', () => {
    const setters = [change('heat', { hazardous: true }), change('light')];
    const bench = inStep([send('ping'), configure(setters), log('x')], two);
    expect(bench.state).toBe('running.sending');
    bench.reply(ended(bench.of('telecommand_sent')[0]!.tc, 'VERIFIED'));
    expect(bench.of('asked')).toMatchObject([
      { prompt: 'hazardous: obc.heat to sat1; to be confirmed by operator' },
    ]);
    bench.answer('a', operator).answer('a', { by: 'eve', ...both });
    sound(bench.play());
    expect(bench.of('asked')).toHaveLength(2);
    expect(bench.of('telecommand_sent')).toHaveLength(3);
  });

  it('asks no confirmation where the environment wants none', () => {
    expect(inStep([hazardous]).kinds).not.toContain('asked');
  });

  it('MC-STM-013 a no fails the step without another attempt', () => {
    const bench = running([step('a', [send('ping', { hazardous: true })], { attempts: 3 })], two);
    bench.answer('a', { ...operator, accepted: false });
    expect(decision(bench)).toBe('ada answered no');
    expect(bench.kinds).not.toContain('telecommand_sent');
  });

  it('MC-STM-024 MC-LOG-016 is confirmed by itself without human orchestration, and nobody is named', () => {
    const bench = inStep([hazardous], policy({ humanOrchestration: false, hazardousConfirmation: ['op'] }));
    expect(bench.of('answered')).toEqual([
      expect.objectContaining({ path: 'a', accepted: true, role: 'op' }),
    ]);
    expect(bench.of('answered')[0]).not.toHaveProperty('by');
    expect(bench.kinds.at(-1)).toBe('telecommand_sent');
  });

  it('confirms a step by the role its procedure names', () => {
    const bench = inStep([confirm('supervisor')]).answer('a', operator);
    expect(bench.state).toBe('running.confirming');
    sound(bench.answer('a', both).play());
    expect(bench.of('answered')).toMatchObject([{ role: 'supervisor', by: 'ada' }]);
  });
});

describe('questions', () => {
  it('MC-STM-012 waits for the operator and goes on once answered', () => {
    const bench = inStep([ask(), log('x')]);
    expect(bench.state).toBe('running.asking');
    expect(bench.of('asked')).toMatchObject([{ path: 'a', prompt: 'ready?' }]);
    expect(bench.of('asked')[0]).not.toHaveProperty('role');
    sound(bench.answer('a').play());
    expect(bench.of('answered')).toMatchObject([{ path: 'a', accepted: true, by: 'ada' }]);
  });

  it('MC-STM-013 an answer no fails the step without retry', () => {
    const bench = running([step('a', [ask()], { attempts: 3 })]).answer('a', { accepted: false });
    expect(bench.state).toBe('waitingDecision');
    expect(bench.of('step_started')).toHaveLength(1);
  });

  it('MC-ANS-014 MC-ANS-015 a typed answer is read and known to the rest of the step', () => {
    const bench = inStep([askTyped('gain'), log('set to ', { name: 'gain' }), send('ping')]);
    bench.answer('a', { value: '12 dB', source: 9 });
    expect(bench.state).toBe('running.readingAnswer');
    expect(bench.asked.at(-1)).toMatchObject({ type: 'effect.read-answer', value: '12 dB' });
    bench.reply({ type: 'answer.read', value: 12 });
    expect(bench.of('answered')).toMatchObject([{ accepted: true, by: 'ada', value: 12 }]);
    expect(bench.driven.records.find(({ event }) => event.event === 'answered')!.source).toBe(9);
    expect(bench.asked.at(-1)).toMatchObject({ type: 'effect.write', answers: { gain: 12 } });
    sound(bench.play());
    expect(bench.asked.find(({ type }) => type === 'effect.send')).toMatchObject({ answers: { gain: 12 } });
  });

  it('MC-ANS-015 MC-LOG-009 names the instance that was answered', () => {
    const bench = inStep([askTyped('which'), send('ping', { instance: { name: 'which' } })]);
    bench.answer('a', { value: 'B' }).reply({ type: 'answer.read', value: 'B' });
    expect(bench.of('telecommand_sent')).toMatchObject([{ telecommand: 'obc[B].ping' }]);
    const ends = ended(bench.of('telecommand_sent')[0]!.tc, 'VERIFY_TIMEOUT');
    expect(decision(bench.reply(ends))).toBe('obc[B].ping ended VERIFY_TIMEOUT');
  });

  it('MC-STM-012 the prompt of a question and of a confirmation is written out before it is asked', () => {
    const prompt = ['gain ', { name: 'n' }, '?'];
    for (const statement of [ask({ prompt }), { ...confirm('op'), prompt } as ReturnType<typeof confirm>]) {
      const bench = inStep([statement]);
      expect(bench.asked.at(-1)).toMatchObject({ type: 'effect.write', parts: prompt });
      bench.reply({ type: 'written', text: 'gain 7?', samples: [] });
      expect(bench.state).toBe(statement.kind === 'ask' ? 'running.asking' : 'running.confirming');
      expect(bench.of('asked')).toMatchObject([{ prompt: 'gain 7?' }]);
      sound(bench.answer('a', { roles: ['op'] }).play());
    }
  });

  it('MC-STM-023 a typed answer of the wrong type fails the step', () => {
    const bench = inStep([askTyped('gain')]).answer('a', { value: 'much' });
    bench.reply({ type: 'answer.unreadable', reason: '"much" is no number' });
    expect(bench.of('answered')).toMatchObject([{ accepted: true, value: 'much' }]);
    expect(decision(bench)).toBe('"much" is no number');
  });

  it('MC-STM-023 a typed answer without a value fails the step', () => {
    expect(decision(inStep([askTyped('gain')]).answer('a'))).toBe('the answer has no value');
  });

  it('fails the step when nobody answers in time', () => {
    const bench = inStep([ask({ timeoutMs: 30_000 })]);
    const wake = bench.asked.findLast((effect) => effect.type === 'effect.wake');
    expect(wake).toMatchObject({ at: Date.parse(bench.of('asked')[0]!.at) + 30_000 });
    bench.play();
    expect(decision(bench)).toBe('no answer within 30 s');
  });

  it('MC-STM-024 MC-LOG-016 acknowledges a confirmation by itself without human orchestration', () => {
    const bench = sound(inStep([ask()], policy({ humanOrchestration: false })).play());
    expect(bench.of('answered')[0]).not.toHaveProperty('by');
    expect(bench.of('finished')[0]!.ok).toBe(true);
  });

  it('MC-STM-025 fails the step that asks a typed answer without human orchestration', () => {
    const bench = inStep([askTyped('gain')], policy({ humanOrchestration: false }));
    expect(decision(bench)).toBe('an answer is needed, and bench has no human orchestration');
  });

  it('MC-STM-030 a suspension interrupts a question, and replay asks it again', () => {
    const bench = inStep([ask()]).command('suspend');
    expect(bench.state).toBe('suspending');
    bench.reply({ type: 'released' }).command('resume').reply({ type: 'prepared' });
    expect(bench.state).toBe('running.asking');
    expect(bench.of('asked')).toHaveLength(2);
  });

  it('does not ask any more once suspension is wished, also when the prompt is still being written', () => {
    const bench = inStep([ask({ prompt: ['gain ', { name: 'n' }, '?'] })]).command('suspend');
    expect(bench.state).toBe('running.writing');
    bench.reply({ type: 'written', text: 'gain 7?', samples: [] });
    expect(bench.state).toBe('suspending');
    expect(bench.kinds).not.toContain('asked');
  });
});

describe('who may answer', () => {
  const jwt = policy({ identity: 'jwt' });

  it.each([
    ['MC-ANS-007 a missing token', {}, 'a verified token is needed'],
    ['MC-ANS-008 an unverifiable token', { identityFault: 'token expired' }, 'token expired'],
    ['MC-ANS-009 a foreign token', { identityFault: 'the token is of eve' }, 'the token is of eve'],
  ])('%s is refused where the environment asks for one, and the run waits', (_name, over, reason) => {
    for (const bench of [inStep([ask()], jwt), inStep([change('fire')], jwt).play(failingSends)]) {
      const { state } = bench;
      bench.answer('a', { value: 'skip', ...over });
      expect(bench.of('answer_refused')).toMatchObject([{ path: 'a', by: 'ada', reason }]);
      expect(bench.state).toBe(state);
      bench.answer('a', { value: 'skip', verified: true });
      expect(bench.of('answered')).toHaveLength(1);
    }
  });

  it('a fault of the token does not matter where identities are declared', () => {
    expect(inStep([ask()]).answer('a', { identityFault: 'token expired' }).of('answered')).toHaveLength(1);
  });

  it('refuses an answer without a name', () => {
    const bench = inStep([ask()]).tell({
      type: 'answer',
      path: 'a',
      accepted: true,
      roles: [],
      verified: false,
      source: 3,
      seen: 99,
    });
    expect(bench.of('answer_refused')).toMatchObject([
      { reason: 'an answer needs the name of who gives it' },
    ]);
    expect(bench.state).toBe('running.asking');
  });

  it('MC-ANS-030 refuses an answer for a path that waits for nothing, in every state, with its position', () => {
    const of = program([step('a', [wait(5), ask()])]);
    const states = [
      Bench.start(of),
      inStep([ask()]).command('suspend'),
      inStep([ask()]).command('suspend').reply({ type: 'released' }),
      inStep([change('fire')]),
      inStep([askTyped('g')]).answer('a', { value: 1 }),
    ];
    for (const bench of states) {
      const { state } = bench;
      bench.answer('a', { source: 42 });
      expect(bench.events.at(-1)).toMatchObject({
        event: 'answer_refused',
        reason: 'nothing is asked at this path',
      });
      expect(bench.driven.records.at(-1)!.source).toBe(42);
      expect(bench.state).toBe(state);
    }
    const asking = inStep([ask()]).answer('b');
    expect([asking.state, asking.kinds.at(-1)]).toEqual(['running.asking', 'answer_refused']);
  });
});

describe('questions that an environment without human orchestration does not answer', () => {
  const alone = policy({ humanOrchestration: false });

  it('MC-STM-025 fails each attempt of a step that asks a typed answer, and then asks for a decision', () => {
    for (const prompt of [['gain?'], ['gain ', { name: 'n' }]]) {
      const bench = running([step('a', [askTyped('gain', { prompt })], { attempts: 2 })], alone);
      bench.play();
      expect(bench.of('step_started').map(({ attempt }) => attempt)).toEqual([1, 2]);
      expect(bench.of('step_finished')).toMatchObject([{ ok: false, reason: decision(bench) }]);
      expect(decision(bench)).toBe('an answer is needed, and bench has no human orchestration');
      expect(bench.kinds).not.toContain('asked');
    }
  });

  it('MC-STM-024 acknowledges one whose prompt is written out first', () => {
    const bench = sound(inStep([ask({ prompt: ['gain ', { name: 'n' }] })], alone).play());
    expect(bench.of('asked')).toMatchObject([{ path: 'a', prompt: 'text' }]);
    expect(bench.of('answered')).toMatchObject([{ accepted: true }]);
    expect(bench.of('finished')[0]!.ok).toBe(true);
  });
});

describe('the other statements', () => {
  const sample = {
    target: 'sat1',
    component: 'obc',
    measure: 'mode',
    value: 'SAFE',
    time: '2026-01-02T03:04:05.678Z',
    ground_time: '2026-01-02T03:04:05.700Z',
  };

  it.each(['expect', 'check', 'wait_until'] as const)(
    'MC-LOG-012 MC-LOG-025 logs what a %s found',
    (kind) => {
      const bench = inStep([expecting(kind)]);
      expect(bench.asked.at(-1)).toMatchObject({ type: 'effect.judge', since: bench.now });
      bench.reply({ type: 'judged', ok: true, samples: [sample] });
      expect(bench.of('checked')).toMatchObject([
        { path: 'a', statement: kind, condition: 'sat.obc.mode = SAFE', ok: true, samples: [sample] },
      ]);
      expect(sound(bench.play()).of('finished')).toMatchObject([{ ok: true }]);
      expect(bench.of('logged')).toMatchObject([{ path: 'b', samples: [] }]);
      const failed = inStep([expecting(kind)]);
      failed.reply({ type: 'judged', ok: false, reason: 'mode is NOMINAL', samples: [sample] });
      expect(failed.of('checked')).toMatchObject([{ ok: false, reason: 'mode is NOMINAL' }]);
      expect(decision(failed)).toBe('mode is NOMINAL');
    },
  );

  it('MC-LOG-013 MC-LOG-025 logs a text with the samples it shows', () => {
    const bench = inStep([log('mode ', { target: 'sat1', component: 'obc', measure: 'mode' })]);
    expect(bench.state).toBe('running.writing');
    bench.reply({ type: 'written', text: 'mode SAFE', samples: [sample] });
    expect(bench.of('logged')[0]).toMatchObject({ path: 'a', message: 'mode SAFE', samples: [sample] });
  });

  it('MC-LOG-018 logs a mode once it is set, and fails the step when it cannot be', () => {
    const bench = inStep([setMode('SAFE')]);
    expect(bench.kinds).not.toContain('mode_changed');
    expect(sound(bench.play()).of('mode_changed')).toMatchObject([
      { path: 'a', target: 'sat1', mode: 'SAFE' },
    ]);
    expect(decision(inStep([setMode('SAFE')]).reply({ type: 'failed', reason: 'no such mode' }))).toBe(
      'no such mode',
    );
  });

  it('configures: every setter in order, then the readbacks, then the mode', () => {
    const readbacks = [
      { parameter: 'obc.rate', component: 'obc', measure: 'rate', value: 5 },
      { parameter: 'eps[A].on', component: 'eps', instance: 'A', measure: 'on', value: true },
    ];
    const bench = sound(inStep([configure([change('one'), change('two')], readbacks)]).play());
    expect(
      bench.asked.flatMap((effect) => (effect.type === 'effect.send' ? [effect.statement.telecommand] : [])),
    ).toEqual(['one', 'two']);
    expect(
      bench.kinds.filter(
        (kind) => kind.startsWith('telecommand') || kind === 'checked' || kind === 'mode_changed',
      ),
    ).toEqual([
      'telecommand_sent',
      'telecommand_finished',
      'telecommand_sent',
      'telecommand_finished',
      'checked',
      'mode_changed',
    ]);
    expect(bench.of('checked')[0]).toMatchObject({
      statement: 'expect',
      condition: 'obc.rate = 5 and eps[A].on = true',
    });
  });

  it('does not set the mode where a readback or a setter does not hold', () => {
    const readbacks = [{ parameter: 'obc.rate', component: 'obc', measure: 'rate', value: 5 }];
    const unread = inStep([configure([change('one')], readbacks)]);
    unread.play((effect) => {
      return effect.type === 'effect.judge' ? { type: 'judged', ok: false, samples: [] } : well(effect);
    });
    expect(unread.of('checked')).toMatchObject([{ ok: false }]);
    expect(decision(unread)).toBe('the condition does not hold');
    const unset = inStep([configure([change('one'), change('two')], readbacks)]).play(failingSends);
    expect(unset.of('telecommand_sent')).toHaveLength(1);
    for (const { kinds, asked } of [unread, unset]) {
      expect(kinds).not.toContain('mode_changed');
      expect(asked.map(({ type }) => type)).not.toContain('effect.set-mode');
    }
  });

  it('configures a mode without setters and readbacks', () => {
    const bench = sound(inStep([configure([])]).play());
    expect(bench.of('mode_changed')).toHaveLength(1);
    expect(bench.kinds).not.toContain('checked');
  });

  it('waits as long as written, and for a transfer until it is made', () => {
    const bench = inStep([wait(5_000)]);
    expect(bench.asked.at(-1)).toMatchObject({ type: 'effect.wake', at: bench.now + 5_000 });
    const file = {
      kind: 'download',
      target: 'sat1',
      component: 'files',
      file: { value: 7 },
      priority: 1,
    } as const;
    const transfer = inStep([file]);
    expect(transfer.state).toBe('running.transferring');
    sound(transfer.play());
    expect(decision(inStep([file]).reply({ type: 'failed', reason: 'no link' }))).toBe('no link');
  });
});
