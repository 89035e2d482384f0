/**
 * The feeders, planners and supervisors of a simulated run. Each asks until somebody has answered, so that a request
 * may be carried out twice, and late: every attempt is noted with its beginning and its end.
 */

import { type Asking, persist } from '../persistence.ts';
import type { TwinServer } from '../twin/server.ts';
import type { PlanAct, Planning, Request } from './planning.ts';
import { askerOf } from './planning-api.ts';

/** One process is waited for so long. */
const PATIENCE_MS = 4_000;

/** One try at a request by one process. */
export interface Attempt {
  readonly by: string;
  /** Places among what was stored, and times, ms since 1970. */
  readonly asked: { readonly order: number; readonly at: number };
  /** Undefined while the process may still be at it. */
  over: { readonly order: number; readonly at: number } | undefined;
}

/** A request with everything that was tried, and what was answered. */
export interface Asked {
  readonly what: Request;
  /** Name of whoever asked. */
  readonly asker: string;
  readonly attempts: Attempt[];
  answer:
    | {
        readonly outcome: 'accepted' | 'refused';
        readonly body?: unknown;
        readonly codes: readonly string[];
        readonly order: number;
        readonly by: string;
      }
    | undefined;
}

interface Options extends Asking {
  readonly server: TwinServer;
  readonly tell: (what: string) => void;
}

export class Planners {
  readonly asked: Asked[] = [];
  /** Requests that still want an answer. */
  open = 0;
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  plan({ writes, acts }: Planning): void {
    for (const act of [...writes, ...acts])
      this.#options.clock.setTimeout(() => this.#ask(act), Math.max(0, act.at));
  }

  #ask({ slot, what }: PlanAct): void {
    const { tell, server } = this.#options;
    const asker = askerOf(what, this.asked.length);
    const asked: Asked = { what, asker: asker.name, attempts: [], answer: undefined };
    this.asked.push(asked);
    this.open += 1;
    tell(`${asker.name} asks ${textOf(what)}`);
    persist(this.#options, {
      slot,
      patienceMs: PATIENCE_MS,
      ask: async (api) => {
        const attempt: Attempt = { by: api.instance, asked: this.#here(), over: undefined };
        asked.attempts.push(attempt);
        const reported = await api.plan(what, asker);
        attempt.over = this.#here();
        return reported;
      },
      answered: (reported, by) => {
        this.open -= 1;
        const codes = reported.outcome === 'refused' ? reported.codes : [];
        const body = reported.outcome === 'accepted' ? { body: reported.body } : {};
        asked.answer = { outcome: reported.outcome, ...body, codes, order: server.order, by };
        tell(`${asker.name} ${nameOf(what)}: ${reported.outcome} ${codes.join()} through ${by}`);
      },
    });
  }

  #here(): { order: number; at: number } {
    const { server } = this.#options;
    return { order: server.order, at: server.now };
  }
}

function nameOf(what: Request): string {
  switch (what.kind) {
    case 'pass':
      return `pass ${what.pass.id}`;
    case 'snapshot':
      return `snapshot of ${what.snapshot.source} of ${what.snapshot.target}`;
    case 'schedule':
      return `schedule ${what.schedule.id}`;
    case 'rule':
      return `rule ${what.rule.id}`;
    default:
      return `${what.kind} ${what.id}`;
  }
}

export function textOf(what: Request): string {
  switch (what.kind) {
    case 'pass':
    case 'snapshot':
    case 'schedule':
    case 'rule':
      return `${nameOf(what)} ${JSON.stringify(Object.values(what)[1])}`;
    default:
      return nameOf(what);
  }
}
