/**
 * Two entities and the link between them in virtual time: what a scenario says happens, and nothing else. Everything is
 * decided by the scenario.
 */

import { CFDP_TRANSACTIONS } from '../../../contract/limits/cfdp.ts';
import { Line } from './line.ts';
import { Party } from './party.ts';
import type { Act, CfdpScenario, End } from './scenario.ts';

const ENDS = ['ground', 'space'] as const;
/** Virtual time after which everything must have come to an end once the link is good. */
const ENOUGH_MS = 4 * 3_600_000;
/** Turns of the loop without time moving on: something spins. */
const MOST_TURNS = 10_000;

export interface CfdpRun {
  readonly scenario: CfdpScenario;
  readonly steps: number;
  readonly endedAt: number;
  readonly parties: Readonly<Record<End, Party>>;
  readonly lines: Readonly<Record<End, Line>>;
  readonly faults: readonly string[];
}

interface Planned {
  readonly at: number;
  readonly act: () => void;
}

class World {
  readonly #scenario: CfdpScenario;
  readonly parties: Record<End, Party>;
  /** By the end that sends. */
  readonly lines: Record<End, Line>;
  readonly faults: string[] = [];
  readonly #plan: Planned[] = [];
  readonly #unusable = new Set<number>();
  now = 0;
  steps = 0;
  #turns = 0;

  constructor(scenario: CfdpScenario) {
    this.#scenario = scenario;
    this.parties = {
      ground: new Party('ground', scenario, scenario.files),
      space: new Party('space', scenario, []),
    };
    this.lines = {
      ground: new Line(scenario.up, scenario.seed, 'up'),
      space: new Line(scenario.down, scenario.seed, 'down'),
    };
    this.#planOutages();
    for (const act of scenario.acts) this.#planAct(act);
    this.#plan.sort((a, b) => a.at - b.at);
  }

  #planOutages(): void {
    this.#scenario.outages.forEach(({ at, forMs, informed }, n) => {
      const begin = () => {
        this.#unusable.add(n);
        for (const line of Object.values(this.lines)) line.cut();
        for (const end of informed) this.#eachAlive(end, (party) => party.entity.linkDown(this.now));
      };
      const end = () => {
        this.#unusable.delete(n);
        if (this.#unusable.size > 0) return;
        for (const each of ENDS) this.#eachAlive(each, (party) => party.entity.linkUp(this.now));
      };
      this.#plan.push({ at, act: begin }, { at: at + forMs, act: end });
    });
  }

  #eachAlive(end: End, act: (party: Party) => void): void {
    if (!this.parties[end].isDown) act(this.parties[end]);
  }

  /** Whether an end believes that the link is there. */
  #believesUp(end: End): boolean {
    return [...this.#unusable].every((n) => !this.#scenario.outages[n]!.informed.includes(end));
  }

  #planAct(act: Act): void {
    const later = (forMs: number, what: () => void) => this.#plan.push({ at: act.at + forMs, act: what });
    if (act.do === 'restart') {
      const party = this.parties[act.end];
      later(0, () => {
        party.isDown = true;
      });
      later(act.forMs, () => party.restart(this.now, this.#believesUp(act.end)));
      return;
    }
    later(0, () => this.#onWish(act));
    if (act.do === 'suspend') later(act.forMs, () => this.#resume(act.file));
  }

  #onWish(act: Exclude<Act, { do: 'restart' }>): void {
    const ground = this.parties.ground;
    const wish = ground.wishOf(act.file);
    if (ground.isDown || wish?.id === undefined || wish.state !== 'asked') return;
    if (act.do === 'suspend') return ground.entity.suspend(wish.id, this.now);
    wish.state = 'cancelled';
    ground.entity.cancel(wish.id, this.now);
  }

  #resume(file: string): void {
    const ground = this.parties.ground;
    const id = ground.wishOf(file)?.id;
    if (!ground.isDown && id !== undefined) ground.entity.resume(id, this.now);
  }

  run(until: (world: Pick<CfdpRun, 'parties'>) => boolean): CfdpRun {
    const limit = this.#lastPlanned() + ENOUGH_MS;
    while (!this.#isOver() && !until(this) && this.now <= limit && this.#turns < MOST_TURNS) this.#step();
    if (this.now > limit) this.faults.push(`not over after ${ENOUGH_MS} ms on a good link`);
    if (this.#turns >= MOST_TURNS) this.faults.push(`spins at ${this.now}`);
    const { parties, lines, faults, steps } = this;
    return { scenario: this.#scenario, steps, endedAt: this.now, parties, lines, faults };
  }

  #lastPlanned(): number {
    return Math.max(this.#scenario.calmAt, ...this.#plan.map(({ at }) => at));
  }

  #isOver(): boolean {
    const isQuiet = ENDS.every((end) => this.parties[end].entity.transactions === 0);
    const isDone = this.parties.ground.wishes.every(({ state }) => state === 'done' || state === 'cancelled');
    return isQuiet && isDone && this.#plan.length === 0;
  }

  #step(): void {
    this.steps += 1;
    for (const end of ENDS) this.#turn(end);
    const next = this.#nextAt();
    this.#turns = next > this.now ? 0 : this.#turns + 1;
    this.now = Math.max(this.now, next);
    while (this.#plan.length > 0 && this.#plan[0]!.at <= this.now) this.#plan.shift()!.act();
  }

  #turn(end: End): void {
    const party = this.parties[end];
    const incoming = this.lines[end === 'ground' ? 'space' : 'ground'].arrived(this.now);
    if (party.isDown) return;
    for (const pdu of incoming) party.receive(pdu, this.now);
    if ((party.entity.nextDue(this.now) ?? Number.POSITIVE_INFINITY) <= this.now) party.entity.tick(this.now);
    party.ask(this.now);
    party.feed(this.now);
    const line = this.lines[end];
    if (line.freeAt <= this.now) {
      const pdu = party.entity.pull(this.now);
      if (pdu !== undefined) this.#send(line, pdu);
    }
    if (party.entity.transactions > CFDP_TRANSACTIONS) this.faults.push('too many transactions');
  }

  #send(line: Line, pdu: Buffer): void {
    const { settings, calmAt } = this.#scenario;
    if (pdu.length > settings.pduBytes) this.faults.push(`a PDU of ${pdu.length} bytes`);
    line.send(pdu, this.now, this.#unusable.size > 0, this.now >= calmAt);
  }

  #nextAt(): number {
    const due = ENDS.flatMap((end) => {
      const party = this.parties[end];
      const line = this.lines[end];
      const busy = line.freeAt > this.now ? line.freeAt : undefined;
      const own = party.isDown ? [] : [party.entity.nextDue(this.now), party.nextAsk];
      return [line.nextAt, busy, ...own];
    });
    due.push(this.#plan[0]?.at);
    return Math.min(...due.map((at) => at ?? Number.POSITIVE_INFINITY), this.now + 3_600_000);
  }
}

export interface RunOptions {
  /** Ends the run before everything is over. */
  readonly until?: (world: Pick<CfdpRun, 'parties'>) => boolean;
}

export function runCfdp(scenario: CfdpScenario, { until = () => false }: RunOptions = {}): CfdpRun {
  return new World(scenario).run(until);
}
