/**
 * The people of a simulated run: they launch, answer questions and decisions (rightly, wrongly, twice, late, forged),
 * and command. They see the log as it is stored. Once nothing goes wrong any more they are quick and sensible, so that
 * every run comes to an end; what is still open long after that they abort.
 */

import { ulid } from 'ulid';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { type Answer, CHOICES, type RunSummary } from '../../contract/run.ts';
import type { RunSubmission } from '../../contract/run-wire.ts';
import { afterEvent } from '../../mission/procedure/run-status.ts';
import type { Person } from './api.ts';
import { Chance } from './chance.ts';
import type { Command, Launch } from './launch.ts';
import { type Asking, persist } from './persistence.ts';
import { type AcceptedCommand, bodyOf, type RefusedCommand, recordedRun } from './run-history.ts';
import type { TwinServer } from './twin/server.ts';

const LOOK_EVERY_MS = 1_500;
/** One process is waited for so long. */
const PATIENCE_MS = 5_000;
/** An executor may take half a minute for a command. */
const COMMAND_PATIENCE_MS = 32_000;
/** Behind the last fault: what is open then is aborted. */
const ABORTED_AFTER_MS = 60_000;
const REPLAYS_IN_CALM = 2;

const ADA: Person = { name: 'ada', roles: [] };
/** Right answers to the typed questions of the simulation, by what their prompt holds. */
const VALUES = [
  ['Period', 60],
  ['voltage', '5 V'],
] as const;

interface Options extends Asking {
  readonly seed: number;
  readonly server: TwinServer;
  /** ms until nothing new goes wrong; negative behind it. */
  readonly untilCalm: () => number;
  readonly tell: (what: string) => void;
}

interface Known {
  readonly chance: Chance;
  /** What decides whether an answer names its question and is repeated. */
  readonly habit: Chance;
  summary: RunSummary;
  /** Something was thought of and is not over. */
  busy: boolean;
  replays: number;
  /** Resumptions that were refused. */
  refused: number;
}

export class People {
  readonly launched: { readonly run: string; readonly by: string }[] = [];
  readonly accepted: AcceptedCommand[] = [];
  readonly refused: RefusedCommand[] = [];
  /** Launches that still want an answer. */
  open = 0;
  readonly #options: Options;
  readonly #runs = new Map<string, Known>();
  readonly #commands = new Map<string, readonly Command[]>();
  #forged = 0;
  #commanders = 0;
  #looks = false;

  constructor(options: Options) {
    this.#options = options;
    const { server } = options;
    server.stream(streams.runSubmissions).onStored((message) => this.#submitted(bodyOf(message)));
    server.stream(streams.runs).onStored((message) => this.#logged(message));
  }

  plan(launches: readonly Launch[]): void {
    if (launches.length === 0) return;
    const { clock, seed } = this.#options;
    for (const [n, launch] of launches.entries()) {
      this.open += 1;
      const chance = new Chance(seed, `launch ${n}`);
      clock.setTimeout(() => this.#launch(launch, chance), launch.at);
    }
    this.look();
  }

  /** Looks from now on at what runs wait for, whoever launched them. */
  look(): void {
    if (this.#looks) return;
    this.#looks = true;
    this.#lookLater();
  }

  /** The store went back: what is left of each run is what they see from now on. */
  rewound(): void {
    const { server } = this.#options;
    const there = new Set(
      server.stream(streams.runSubmissions).messages.map((message) => bodyOf<RunSubmission>(message).run),
    );
    for (const [run, known] of this.#runs) {
      if (!there.has(run)) this.#runs.delete(run);
      else known.summary = unbegun(run);
    }
    for (const message of server.stream(streams.runs).messages) {
      const { run, event } = recordedRun(message);
      const known = this.#runs.get(run);
      if (known !== undefined) known.summary = afterEvent(known.summary, event);
    }
  }

  /** Whether every run that was submitted is over. */
  get allOver(): boolean {
    return [...this.#runs.values()].every(({ summary }) => summary.finished !== undefined);
  }

  // Launches
  // -------------------------------------------------------------------------------------------------------------

  #launch({ slot, what, commands }: Launch, chance: Chance): void {
    const { clock, tell } = this.#options;
    const id = ulid(Math.floor(clock.now()), () => chance.next());
    if (what.kind === 'program') this.#commands.set(id, commands);
    tell(`launches ${what.kind === 'program' ? `${id.slice(-5)}, a program` : what.request.run}`);
    persist(this.#options, {
      slot,
      patienceMs: PATIENCE_MS,
      ask: (api) =>
        what.kind === 'program' ? api.launchProgram(id, what.program) : api.launch(what.request),
      answered: (reported, by) => {
        this.open -= 1;
        tell(
          `launch ${reported.outcome} by ${by}: ${reported.outcome === 'accepted' ? reported.run : reported.codes.join()}`,
        );
        if (reported.outcome !== 'accepted') return;
        this.launched.push({ run: reported.run, by });
        if (what.kind === 'procedure')
          for (const command of commands) this.#commandLater(reported.run, command);
      },
    });
  }

  #submitted({ run }: RunSubmission): void {
    const { seed } = this.#options;
    this.#runs.set(run, {
      chance: new Chance(seed, `people ${this.#runs.size}`),
      habit: new Chance(seed, `habits ${this.#runs.size}`),
      summary: unbegun(run),
      busy: false,
      replays: 0,
      refused: 0,
    });
    for (const command of this.#commands.get(run) ?? []) this.#commandLater(run, command);
  }

  #logged(message: Parameters<typeof recordedRun>[0]): void {
    const { run, event } = recordedRun(message);
    const known = this.#runs.get(run);
    if (known === undefined) return;
    known.summary = afterEvent(known.summary, event);
    this.#look(run, known);
  }

  // What a run waits for
  // -------------------------------------------------------------------------------------------------

  get #isCalm(): boolean {
    return this.#options.untilCalm() <= 0;
  }

  #lookLater(): void {
    const { clock, untilCalm } = this.#options;
    clock.setTimeout(() => {
      for (const [run, known] of this.#runs) {
        if (known.summary.finished !== undefined) continue;
        if (untilCalm() < -ABORTED_AFTER_MS) this.#abort(run, known);
        else this.#look(run, known);
      }
      this.#lookLater();
    }, LOOK_EVERY_MS);
  }

  #look(run: string, known: Known): void {
    const { summary, busy, chance } = known;
    if (busy || summary.finished !== undefined) return;
    if (summary.pending === undefined && !summary.suspended) return;
    known.busy = true;
    const long = chance.happens(0.3);
    const [low, high] = this.#isCalm ? [50, 800] : long ? [2_000, 9_000] : [20, 2_000];
    this.#options.clock.setTimeout(() => this.#act(run, known), chance.between(low, high));
  }

  #act(run: string, known: Known): void {
    const { summary } = known;
    if (summary.suspended) return this.#resume(run, known);
    if (summary.pending !== undefined) return this.#answer(run, known, summary.pending);
    known.busy = false;
  }

  #resume(run: string, known: Known): void {
    const { chance, refused } = known;
    const choice = chance.one(['replay', 'replay', 'replay', 'skip', 'fail', 'abort'] as const);
    const settled = (outcome: string): void => {
      known.busy = false;
      if (outcome === 'refused') known.refused += 1;
    };
    if (refused >= 3) return this.#command(run, { action: 'abort', slot: this.#slot(chance) }, settled);
    this.#command(run, { action: 'resume', choice, slot: this.#slot(chance) }, settled);
  }

  #abort(run: string, known: Known): void {
    if (known.busy) return;
    known.busy = true;
    this.#command(run, { action: 'abort', slot: this.#slot(known.chance) }, () => {
      known.busy = false;
    });
  }

  // Answers
  // --------------------------------------------------------------------------------------------------------------

  #answer(
    run: string,
    known: Known,
    { path, kind, prompt = '', role, question }: NonNullable<RunSummary['pending']>,
  ): void {
    const { chance, habit } = known;
    const named = habit.happens(0.5) && question !== undefined ? { question } : {};
    const right = { path, ...named, ...(kind === 'decision' ? this.#decision(known) : reply(prompt)) };
    const person = role === undefined ? ADA : { name: `${role}-${chance.whole(1, 2)}`, roles: [role] };
    const mistake = chance.next();
    const drawn = chance.next();
    if (this.#isCalm || mistake < 0.6) return this.#say(run, known, right, person);
    if (mistake < 0.7) return this.#say(run, known, { ...right, path: `${path}/elsewhere` }, person);
    if (mistake < 0.8) {
      this.#say(run, known, right, person);
      return this.#say(run, known, right, person);
    }
    if (mistake < 0.86) this.#forge(run, path, drawn);
    if (mistake < 0.9) return this.#say(run, known, { path, ...named, accepted: false }, person);
    if (mistake < 0.95)
      return this.#say(run, known, { path, ...named, accepted: true, value: 'perhaps' }, person);
    this.#say(run, known, right, { name: 'eve', roles: ['visitor'] });
  }

  #decision(known: Known): Pick<Answer, 'accepted' | 'value'> {
    const value = known.chance.one(['replay', 'replay', ...CHOICES]);
    if (value !== 'replay' || !this.#isCalm) return { accepted: true, value };
    known.replays += 1;
    return { accepted: true, value: known.replays > REPLAYS_IN_CALM ? 'fail' : value };
  }

  #say(run: string, known: Known, answer: Answer, person: Person): void {
    const { tell, clock } = this.#options;
    tell(`${person.name} answers ${run.slice(-5)} ${JSON.stringify(answer)}`);
    persist(this.#options, {
      slot: this.#slot(known.chance),
      patienceMs: PATIENCE_MS,
      ask: (api) => api.answer(run, answer, person),
      // Whoever has answered looks again a little later.
      answered: () => clock.setTimeout(() => this.#free(run, known), 700),
      wanted: () => known.summary.finished === undefined,
      givenUp: () => this.#free(run, known),
    });
    this.#repeatLater(run, known, answer, person);
  }

  /** As a client does that has got no reply: at once, or when the run has gone on, or has another executor. */
  #repeatLater(run: string, { habit, summary }: Known, answer: Answer, person: Person): void {
    const { clock } = this.#options;
    if (this.#isCalm || !habit.happens(0.4)) return;
    const slot = this.#slot(habit);
    const delay = habit.happens(0.5) ? habit.between(0, 100) : habit.between(100, 8_000);
    const ask = (): void =>
      persist(this.#options, {
        slot,
        patienceMs: PATIENCE_MS,
        ask: (api) => api.answer(run, answer, person),
        answered: () => undefined,
        wanted: () => summary.finished === undefined,
      });
    clock.setTimeout(ask, delay);
  }

  #free(run: string, known: Known): void {
    known.busy = false;
    this.#look(run, known);
  }

  /** Somebody writes on the bus himself, without a name or nonsense. */
  #forge(run: string, path: string, drawn: number): void {
    const { server, tell } = this.#options;
    this.#forged += 1;
    const bodies = [
      { path, accepted: true, value: 'skip', roles: [] },
      { path, accepted: 'yes' },
      { path, accepted: true, value: 'replay', by: 'ada', roles: ['supervisor'], token: 'forged' },
    ];
    tell(`somebody forges an answer to ${run.slice(-5)}`);
    server.publish(server.stream(streams.runAnswers), {
      subject: subject.runApproval(run),
      data: Buffer.from(JSON.stringify(bodies[Math.floor(drawn * bodies.length)])),
      headers: {},
      id: `forged-${this.#forged}`,
      expect: undefined,
      writer: 'forger',
      by: 'forger',
      removal: false,
    });
  }

  // Commands
  // -------------------------------------------------------------------------------------------------------------

  #commandLater(run: string, command: Command): void {
    this.#options.clock.setTimeout(() => this.#command(run, command, () => undefined), command.afterMs);
  }

  #command(
    run: string,
    { action, choice, slot }: Pick<Command, 'action' | 'choice' | 'slot'>,
    settled: (outcome: string) => void,
  ): void {
    const { server, tell } = this.#options;
    const askedAt = server.order;
    // Each asking has its own name, so that the log says which one was carried out.
    let by = 'alarm sat1.battery.undervoltage';
    const named = (): string => {
      this.#commanders += 1;
      by = `op-${this.#commanders}`;
      return by;
    };
    tell(`asks to ${action} ${run.slice(-5)}${choice === undefined ? '' : ` with ${choice}`}`);
    persist(this.#options, {
      slot,
      patienceMs: COMMAND_PATIENCE_MS,
      ask: (api) => (action === 'preempt' ? api.preempt(run) : api.command(run, action, choice, named())),
      answered: (announced, through) => {
        const codes = announced.outcome === 'refused' ? `: ${announced.codes.join()}` : '';
        tell(`${action} of ${run.slice(-5)} ${announced.outcome} through ${through}${codes}`);
        if (announced.outcome === 'accepted')
          this.accepted.push({ run, action, by, askedAt, answeredAt: server.order });
        else if (announced.codes.every((code) => code === 'run::refused' || code === 'run::not-running'))
          this.refused.push({ run, action, by });
        settled(announced.outcome);
      },
      wanted: () => this.#runs.get(run)?.summary.finished === undefined,
      givenUp: () => settled('given up'),
    });
  }

  #slot(chance: Chance): number {
    return chance.whole(0, this.#options.slots - 1);
  }
}

function unbegun(run: string): RunSummary {
  return { run, procedure: '', suspended: false, environment: '', targets: {} };
}

function reply(prompt: string): Pick<Answer, 'accepted' | 'value'> {
  const value = VALUES.find(([word]) => prompt.includes(word))?.[1];
  return { accepted: true, ...(value !== undefined && { value }) };
}
