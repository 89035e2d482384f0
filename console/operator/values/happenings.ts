/**
 * What happened in the time of a plot: transitions of the alarms of its measures, and telecommands to the target. Asked
 * for a little after the last change of the axis, and again from time to time while the axis moves.
 *
 * H1. An answer to an earlier question is dropped (plot-source.S1).
 * H2. The newest `MOST` of each are shown; that there are more is said.
 */

import type { AlarmEvent, AlarmEventPage } from '../../../contract/alarm.ts';
import type { TelecommandEntry, TelecommandPage } from '../../../contract/event.ts';
import { later } from '../../browser-clock.ts';
import { ask } from '../../service.ts';
import { ServiceError } from '../../service-error.ts';
import type { PlotChoice } from './plot-source.ts';

const SETTLE_MS = 400;
const AGAIN_MS = 20_000;
const MOST = 100;

export interface Happening {
  /** ms since 1970. */
  readonly at: number;
  readonly kind: 'alarm' | 'telecommand';
  /** The alarm or the telecommand. */
  readonly name: string;
  readonly words: string;
  /** Of an alarm at a transition; its unit is that of its measure. */
  readonly value?: unknown;
  readonly tone: 'bad' | 'warn' | '';
}

export class Happenings {
  readonly #changed: () => void;
  #cancel: () => void = () => undefined;
  #abort = new AbortController();
  #asked = '';
  /** Newest first. */
  all: readonly Happening[] = [];
  hasMore = false;
  refusal: ServiceError | undefined;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  choose(choice: PlotChoice): void {
    const { target, names, range } = choice;
    const { from, to, isLive } = range;
    const key = `${target} ${names.join()} ${isLive ? to - from : `${from} ${to}`}`;
    if (key === this.#asked) return;
    this.#asked = key;
    this.#cancel();
    this.#cancel = later(() => void this.#ask(choice), SETTLE_MS);
  }

  stop(): void {
    this.#cancel();
    this.#abort.abort();
    this.#asked = '';
    this.all = [];
  }

  async #ask(choice: PlotChoice): Promise<void> {
    this.#abort.abort();
    const abort = new AbortController();
    this.#abort = abort;
    try {
      const [telecommands, ...alarms] = await Promise.all([
        ask<TelecommandPage>(pathOf('/v1/tc', choice), abort.signal),
        ...choice.names.map((alarm) =>
          ask<AlarmEventPage>(pathOf('/v1/alarms/events', choice, { alarm }), abort.signal),
        ),
      ]);
      const found = [
        ...telecommands.telecommands.map(ofTelecommand),
        ...alarms.flatMap(({ events }, index) => events.map((event) => ofAlarm(event, choice.names[index]!))),
      ];
      this.all = found.sort((a, b) => b.at - a.at);
      this.hasMore = [telecommands, ...alarms].some(({ next }) => next !== undefined);
      this.refusal = undefined;
    } catch (error) {
      if (abort.signal.aborted) return;
      if (!(error instanceof ServiceError)) throw error;
      this.refusal = error;
    }
    this.#changed();
    if (choice.range.isLive) this.#cancel = later(() => this.#again(choice), AGAIN_MS);
  }

  #again(choice: PlotChoice): void {
    const { from, to } = choice.range;
    const range = { from: from + AGAIN_MS, to: to + AGAIN_MS, isLive: true };
    void this.#ask({ ...choice, range });
  }
}

function pathOf(
  path: string,
  { target, range }: PlotChoice,
  more: Readonly<Record<string, string>> = {},
): string {
  const from = new Date(range.from).toISOString();
  // While the axis moves, everything up to now: the clocks of both ends differ by a moment.
  const until = range.isLive ? {} : { to: new Date(range.to + 1).toISOString() };
  return `${path}?${new URLSearchParams({ target, from, ...until, limit: `${MOST}`, ...more })}`;
}

function ofTelecommand({ telecommand, id, by, run, state, reached_at }: TelecommandEntry): Happening {
  const who = by ?? (run === undefined ? 'somebody' : `run ${run.slice(-8)}`);
  const words = `sent by ${who}${state === undefined ? '' : `, ${state}`}`;
  return { at: Date.parse(reached_at), kind: 'telecommand', name: telecommand ?? id, words, tone: '' };
}

function ofAlarm({ state, severity, cause, by, value, at }: AlarmEvent, name: string): Happening {
  const isActive = state.startsWith('ACTIVE');
  const words = [
    state.toLowerCase().replace('_unack', ', not acknowledged').replace('_ack', ', acknowledged'),
    severity ?? '',
    cause === 'condition' ? '' : `${cause}${by === undefined ? '' : ` by ${by}`}`,
  ];
  const tone = isActive ? (severity === 'critical' ? 'bad' : 'warn') : '';
  return { at: Date.parse(at), kind: 'alarm', name, words: words.filter(Boolean).join('; '), value, tone };
}
