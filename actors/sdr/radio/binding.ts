/**
 * Binds the chart of the radio to the world: attaching, commands, answers.
 *
 * W1. What was asked in another life of the daemon is neither done nor answered: its session is another.
 */

import type { BenchFault } from '../../../contract/bench/errors.ts';
import { radioMachine } from '../../../machines/bench/radio.ts';
import type { RadioEffect, RadioEvent } from '../../../machines/bench/radio-protocol.ts';
import { defineBinding } from '../../../ports/define-binding.ts';
import type { Binding, Store } from '../../../ports/entity.ts';

export const RADIO_KIND = 'radio';
/** There is one board, and one radio. */
export const RADIO_ID = 'board';
/** Of the chart. */
export const RADIO_VERSION = 1;

/** What the radio does for its chart. */
export interface RadioServices {
  readonly session: string;
  attach(): Promise<RadioEvent>;
  begin(command: string): Promise<RadioEvent>;
  answer(command: string): void;
  refuse(command: string, fault: BenchFault): void;
  holdAnswered(request: string, fault: BenchFault | undefined): void;
  lost(reason: string): void;
}

export function createRadioBinding(store: Store, services: RadioServices): Binding<typeof radioMachine> {
  const isOld = ({ session }: RadioEffect): boolean => session !== services.session;
  const reported =
    <Effect extends RadioEffect>(tell: (effect: Effect) => void) =>
    (effect: Effect): undefined => {
      if (!isOld(effect)) tell(effect);
      return undefined;
    };
  return defineBinding({
    kind: RADIO_KIND,
    version: RADIO_VERSION,
    chart: radioMachine,
    store,
    durability: 'snapshot',
    effects: {
      'effect.attach': (effect) => (isOld(effect) ? undefined : services.attach()),
      'effect.command': (effect) => (isOld(effect) ? undefined : services.begin(effect.id)),
      'effect.answer': reported(({ id }) => services.answer(id)),
      'effect.refuse': reported(({ id, code, message, help }) =>
        services.refuse(id, { code, message, ...(help !== undefined && { help }) }),
      ),
      'effect.hold-answer': reported(({ request, code, message = '' }) =>
        services.holdAnswered(request, code && { code, message }),
      ),
      'effect.tell-lost': reported(({ reason }) => services.lost(reason)),
    },
    restart: 'permanent',
    idleMs: null,
    migrations: {},
    labelOf: () => 'radio of the bench',
  });
}
