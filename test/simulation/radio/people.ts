/**
 * People and runs of a simulated scenario: they ask the radio of the present life, and hear its answers while it lives.
 */

import type { AsyncLocalStorage } from 'node:async_hooks';
import type { BoardHolder } from '../../../actors/sdr/radio/board-user.ts';
import type { Radio } from '../../../actors/sdr/radio/radio.ts';
import type { RadioEvent } from '../../../machines/bench/radio-protocol.ts';
import { type Action, askOf, isScripted, type Outcome, performFor } from './action.ts';
import type { Chronicle } from './chronicle.ts';
import type { Asked, BoardTruth } from './history.ts';
import type { Visit } from './scenario.ts';

/** Of what is no command of the chart. */
const ACT = 'act ';

interface Present {
  readonly number: number;
  readonly radio: Radio;
}

interface PeopleOptions {
  readonly chronicle: Chronicle;
  /** The life there is; undefined: the daemon is down. */
  readonly life: () => Present | undefined;
  /** Undefined: the board is away. */
  readonly truth: () => BoardTruth | undefined;
  readonly working: AsyncLocalStorage<string>;
}

interface Run {
  readonly by: BoardHolder;
  readonly signal: AbortSignal;
}

export class People {
  readonly #options: PeopleOptions;
  /** The act whose asking is under way, and acts by the identifiers of their commands. */
  #asking: Asked | undefined;
  readonly #commands = new Map<string, number>();
  readonly #releases: { readonly holder: BoardHolder; readonly order: number }[] = [];

  constructor(options: PeopleOptions) {
    this.#options = options;
  }

  /** The act that a command is of. */
  actOf(command: string | undefined): number | undefined {
    if (command?.startsWith(ACT)) return Number(command.slice(ACT.length));
    return command === undefined ? undefined : this.#commands.get(command);
  }

  /** Asks, and resolves to what is answered; undefined where nobody is there to answer. */
  async ask(who: string, action: Action, run?: Run): Promise<Outcome | undefined> {
    const { chronicle, life } = this.#options;
    const present = life();
    if (present === undefined) return undefined;
    const asked: Asked = {
      act: chronicle.asked.length,
      order: chronicle.next(),
      at: chronicle.now,
      life: present.number,
      who,
      action,
      isCommand: false,
      answers: [],
      by: run !== undefined && isScripted(action) ? run.by : undefined,
    };
    chronicle.asked.push(asked);
    chronicle.tell(who, `asks ${asked.act}: ${JSON.stringify(action)}`);
    try {
      return this.#answered(asked, await this.#put(asked, present, run));
    } catch (error) {
      if (life()?.number === asked.life) chronicle.defect(error);
      return undefined;
    }
  }

  /** A run takes the board, does its part and gives the board back. */
  visit({ holder, forMs, acts }: Visit): void {
    const { chronicle, life } = this.#options;
    const present = life();
    if (present === undefined) return;
    const { boardUser: user } = present.radio;
    const from = chronicle.next();
    void user.hold(holder).then(({ ok }) => {
      chronicle.tell(holder.id, ok ? 'holds the board' : 'does not get the board');
      if (ok && life()?.number === present.number) this.#holds(holder, present.number, from);
    });
    for (const { afterMs, action, withdrawnMs } of acts)
      chronicle.at(chronicle.now + afterMs, () => {
        const wish = new AbortController();
        void this.ask(holder.id, action, { by: holder, signal: wish.signal });
        if (withdrawnMs !== undefined)
          chronicle.at(chronicle.now + withdrawnMs, () => wish.abort('not wanted any more'));
      });
    chronicle.at(chronicle.now + forMs, () => {
      if (life()?.number === present.number) void user.release(holder);
    });
  }

  /** The chart is about to receive the event. */
  told(life: number, event: RadioEvent): void {
    const { chronicle } = this.#options;
    if (event.type === 'run.release') return this.#released(event.holder);
    const truth = event.type === 'board.attached' ? this.#options.truth() : undefined;
    if (truth !== undefined) chronicle.found.push({ life, truth });
    if (event.type !== 'operator.command') return;
    // A mute may have a second part that waits its turn.
    const asking = this.#asking ?? chronicle.asked[this.actOf(this.#options.working.getStore()) ?? -1];
    if (asking === undefined) return chronicle.defect(`life ${life}: a command nobody asked for`);
    asking.isCommand = true;
    this.#commands.set(event.command.id, asking.act);
  }

  #put(asked: Asked, { radio }: Present, run: Run | undefined): Promise<Outcome> {
    const { bench, boardUser: user } = radio;
    this.#asking = asked;
    // What is done at once, ahead of every command, is done in the name of who asks.
    const put = (): Promise<Outcome> =>
      run === undefined
        ? askOf(asked.action, bench)
        : performFor(asked.action, run.by, { user, bench, signal: run.signal });
    try {
      return this.#options.working.run(`${ACT}${asked.act}`, put);
    } finally {
      this.#asking = undefined;
    }
  }

  #answered(asked: Asked, outcome: Outcome): Outcome | undefined {
    const { chronicle, life, truth } = this.#options;
    const present = life();
    // Nobody receives what a dead daemon would have said.
    if (present?.number !== asked.life) return undefined;
    const active = present.radio.applied();
    asked.answers.push({ order: chronicle.next(), at: chronicle.now, outcome, truth: truth(), active });
    const words = outcome.ok
      ? 'done'
      : outcome.faults.map(({ code, message }) => `${code}: ${message}`).join('; ');
    chronicle.tell(asked.who, `is answered ${asked.act}: ${words}`);
    return outcome;
  }

  #holds(holder: BoardHolder, life: number, from: number): void {
    // It may have been released before the answer came.
    const released = this.#releases.find((each) => each.holder.id === holder.id && each.order > from);
    const until = released?.order ?? Number.POSITIVE_INFINITY;
    this.#options.chronicle.holdings.push({ holder, life, from, until });
  }

  #released(holder: BoardHolder): void {
    const { chronicle } = this.#options;
    const order = chronicle.next();
    this.#releases.push({ holder, order });
    chronicle.tell(holder.id, 'releases the board');
    for (const holding of chronicle.holdings)
      if (holding.holder.id === holder.id) holding.until = Math.min(holding.until, order);
  }
}
