/**
 * Binds the alarm chart to the world: replies to whoever asked, reactions, the telling of those that failed. Mission
 * Control Service, section 4.4.
 *
 * W1. A reaction is asked for only once its activation is durable, under the number of that transition: asking again
 *     after a crash gives the same run.
 * W2. A failure is forgotten only when `<alarm>-reaction` is recorded.
 */

import type { AlarmName } from '../../contract/alarm-name.ts';
import { alarmPath } from '../../contract/alarm-name.ts';
import { ALARM_IDLE_MS } from '../../contract/limits/alarm.ts';
import { alarmMachine } from '../../machines/alarm/alarm.ts';
import type { AlarmChartEvent, AlarmEffect } from '../../machines/alarm/protocol.ts';
import type { Bus } from '../../ports/bus.ts';
import { defineBinding } from '../../ports/define-binding.ts';
import type { Binding, EffectRun, Store } from '../../ports/entity.ts';
import type { Reactions } from './reactions.ts';
import { ALARM_VERSION, validName } from './record-store.ts';
import { alarmHistory } from './replay.ts';
import { shownText } from './shown-text.ts';

type Of<Type extends AlarmEffect['type']> = Extract<AlarmEffect, { type: Type }>;

/** What the alarm service does for its cells. */
export interface AlarmServices {
  readonly reactions: Reactions;
  replied(reply: Of<'effect.reply'>): void;
  /** Raises and clears the alarm of a failed reaction; resolves when both are recorded, or the term is over. */
  report(name: AlarmName, failure: { readonly report: number; readonly reason: string }): Promise<boolean>;
}

interface BindingOptions {
  readonly bus: Bus;
  readonly store: Store;
  /** Undefined while this process does not lead. */
  readonly services: () => AlarmServices | undefined;
}

export function createAlarmBinding({ bus, store, services }: BindingOptions): Binding<typeof alarmMachine> {
  const bound =
    <Type extends AlarmEffect['type']>(handler: Handler<Type>) =>
    async (effect: Of<Type>, run: EffectRun): Promise<AlarmChartEvent | undefined> => {
      const leading = services();
      return leading && handler(effect, leading, run);
    };
  return defineBinding({
    kind: 'alarm',
    version: ALARM_VERSION,
    chart: alarmMachine,
    store,
    durability: 'log',
    effects: {
      'effect.reply': bound(reply),
      'effect.react': bound(react),
      'effect.await-reaction': bound(awaitReaction),
      'effect.report-reaction': bound(reportReaction),
    },
    restart: 'permanent',
    idleMs: ALARM_IDLE_MS,
    migrations: {},
    targetOf: (id) => validName(id)?.target,
    labelOf: (id) => {
      const name = validName(id);
      return name && alarmPath(name);
    },
    history: (id) => alarmHistory(bus, id),
  });
}

type Handler<Type extends AlarmEffect['type']> = (
  effect: Of<Type>,
  services: AlarmServices,
  run: EffectRun,
) => Promise<AlarmChartEvent | undefined>;

const reply: Handler<'effect.reply'> = async (effect, services) => {
  services.replied(effect);
  return undefined;
};

const react: Handler<'effect.react'> = async ({ seq, at, procedure }, { reactions }, { id, signal }) => {
  const launched = await reactions.launch({ name: nameOf(id), seq, at, procedure }, signal);
  if (launched === undefined) return undefined;
  return 'run' in launched
    ? { type: 'reaction.launched', seq, run: launched.run }
    : { type: 'reaction.refused', seq, reason: shownText(launched.refused) };
};

const awaitReaction: Handler<'effect.await-reaction'> = async ({ seq, run }, { reactions }, { signal }) => {
  const ended = await reactions.ended(run, signal);
  if (ended === undefined) return undefined;
  if (ended.ok) return { type: 'reaction.ended', seq, ok: true };
  const reason = `run ${run} did not pass: ${ended.reason ?? 'no reason given'}`;
  return { type: 'reaction.ended', seq, ok: false, reason: shownText(reason) };
};

const reportReaction: Handler<'effect.report-reaction'> = async ({ seq, ...failure }, services, { id }) =>
  (await services.report(nameOf(id), failure)) ? { type: 'reaction.reported', seq } : undefined;

function nameOf(key: string): AlarmName {
  const name = validName(key);
  if (name === undefined) throw new TypeError(`not the key of an alarm: ${key}`);
  return name;
}
