/** What was asked for in another life of the daemon is not done. */

import { describe, expect, it } from 'vitest';
import { createRadioBinding, type RadioServices } from '../../../../actors/sdr/radio/binding.ts';
import type { RadioEffect } from '../../../../machines/bench/radio-protocol.ts';
import type { EffectRun } from '../../../../ports/entity.ts';
import { MemoryStore } from '../../../support/memory-store.ts';

const RUN: EffectRun = {
  id: 'board',
  key: 'radio:board:1:0',
  epoch: 1,
  signal: new AbortController().signal,
};

/** Services that note what they are asked. */
function noted(): { services: RadioServices; asked: string[] } {
  const asked: string[] = [];
  const note = (what: string) => (): void => void asked.push(what);
  const services: RadioServices = {
    session: 'now',
    attach: async () => {
      asked.push('attach');
      return { type: 'board.missed', reason: 'none', at: 0 };
    },
    begin: async (id) => {
      asked.push('begin');
      return { type: 'command.ended', id, facts: [], at: 0 };
    },
    answer: note('answer'),
    refuse: note('refuse'),
    holdAnswered: note('hold'),
    lost: note('lost'),
  };
  return { services, asked };
}

const effectsOf = (session: string): RadioEffect[] => [
  { type: 'effect.attach', session },
  { type: 'effect.command', session, id: '1' },
  { type: 'effect.answer', session, id: '1' },
  { type: 'effect.refuse', session, id: '1', code: 'conflict', message: 'no' },
  { type: 'effect.hold-answer', session, request: '1' },
  { type: 'effect.tell-lost', session, reason: 'gone' },
];

describe('the effects of the radio', () => {
  it.each([
    ['now', ['attach', 'begin', 'answer', 'refuse', 'hold', 'lost']],
    ['an earlier life', []],
  ] as const)('radio/binding.W1 of %s are done: %j', async (session, expected) => {
    const { services, asked } = noted();
    const { effects } = createRadioBinding(new MemoryStore(), services);
    for (const effect of effectsOf(session)) {
      const handler = effects[effect.type] as (effect: RadioEffect, run: EffectRun) => unknown;
      await handler(effect, RUN);
    }
    expect(asked).toEqual(expected);
  });
});
