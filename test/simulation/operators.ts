/**
 * Those who look after alarms in a simulated run: they acknowledge, shelve and unshelve, through the handler of the
 * front end. Mission Control Service, section 4.4. Each says who it is by a name of its own, so that what it has caused
 * can be found.
 *
 * W1. Who gets no answer asks the next process the same: a command may be carried out twice.
 */

import { streams } from '../../contract/bus/streams.ts';
import type { AcceptedAlarmCommand } from './alarm-history.ts';
import type { AlarmAction } from './api.ts';
import { Chance } from './chance.ts';
import { RIG_ALARMS, RIG_INSTANCES, TARGETS } from './mission.ts';
import { type Asking, persist } from './persistence.ts';
import type { TwinServer } from './twin/server.ts';
import type { StoredMessage } from './twin/stored-stream.ts';

/** Something asked of an alarm, whether or not it is raised. */
export interface AlarmAct {
  readonly at: number;
  readonly slot: number;
  readonly target: string;
  /** `component[instance].alarm` */
  readonly alarm: string;
  readonly action: AlarmAction;
}

interface Bounds {
  readonly slots: number;
  readonly from: number;
  readonly to: number;
}

/** Who looks away from alarms that are raised: the share of those nobody cares for. */
const UNCARED = 0.5;
/** One process is waited for so long: longer than the alarm service may take. */
const PATIENCE_MS = 8_000;

export function alarmActsOf(chance: Chance, { slots, from, to }: Bounds): AlarmAct[] {
  return Array.from({ length: chance.whole(4, 4 + Math.ceil((to - from) / 1_000)) }, () => ({
    at: chance.whole(from, to),
    slot: chance.whole(0, slots - 1),
    target: chance.one(TARGETS),
    alarm: `rig[${chance.one(RIG_INSTANCES)}].${chance.one(RIG_ALARMS)}`,
    action: actionOf(chance),
  }));
}

function actionOf(chance: Chance): AlarmAction {
  const term = chance.whole(1, 20);
  const action = chance.one(['acknowledge', 'acknowledge', 'shelve', 'unshelve'] as const);
  return action === 'shelve' ? { action, for: `${term} s` } : { action };
}

interface OperatorsOptions extends Asking {
  readonly seed: number;
  readonly server: TwinServer;
  /** ms until nothing new goes wrong; negative behind it. */
  readonly untilCalm: () => number;
  readonly tell: (what: string) => void;
}

export class Operators {
  readonly accepted: AcceptedAlarmCommand[] = [];
  /** Commands that still want an answer. */
  open = 0;
  readonly #options: OperatorsOptions;
  readonly #chance: Chance;
  #asked = 0;

  constructor(options: OperatorsOptions) {
    this.#options = options;
    this.#chance = new Chance(options.seed, 'operators');
  }

  /** Sets off the acts, and the care for what is raised meanwhile. */
  plan(acts: readonly AlarmAct[]): void {
    const { clock, server } = this.#options;
    for (const act of acts) clock.setTimeout(() => this.#ask(act), act.at);
    server.stream(streams.alarms).onStored((message) => this.#see(message));
  }

  /** An alarm that is raised is acknowledged by somebody, or by nobody. */
  #see({ subject, data }: StoredMessage): void {
    const chance = this.#chance;
    const cares = chance.happens(1 - UNCARED);
    const afterMs = chance.happens(0.3) ? chance.whole(0, 60) : chance.whole(60, 6_000);
    const slot = chance.whole(0, this.#options.slots - 1);
    const { state } = JSON.parse(Buffer.from(data).toString()) as { state: string };
    if (!cares || !state.endsWith('UNACK') || this.#options.untilCalm() <= 0) return;
    const [, , , target = '', component = '', instance = '_', alarm = ''] = subject.split('.');
    const path = instance === '_' ? `${component}.${alarm}` : `${component}[${instance}].${alarm}`;
    this.#options.clock.setTimeout(
      () => this.#ask({ at: 0, slot, target, alarm: path, action: { action: 'acknowledge' } }),
      afterMs,
    );
  }

  #ask({ slot, target, alarm, action }: AlarmAct): void {
    const { server, tell } = this.#options;
    this.open += 1;
    this.#asked += 1;
    const by = `operator-${this.#asked}`;
    const askedAt = server.order;
    const what = `${action.action} ${target} ${alarm}`;
    tell(`${by}: ${what}${action.action === 'shelve' ? ` for ${action.for}` : ''}`);
    persist(this.#options, {
      slot,
      patienceMs: PATIENCE_MS,
      ask: (api) => api.alarm(target, alarm, action, by),
      answered: (reported, through) => {
        this.open -= 1;
        tell(`${by}: ${reported.outcome} through ${through}`);
        if (reported.outcome !== 'accepted') return;
        this.accepted.push({ target, alarm, by, action: action.action, askedAt, answeredAt: server.order });
      },
    });
  }
}
