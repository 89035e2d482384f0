/**
 * The RF bench: one board with its radio, the runs of scenarios and campaigns, and a front end of its own. RF Bench
 * Service.
 *
 * R1. Of a cell's benches the one that started last has the records: an earlier one that still runs is fenced at its
 *     next write, ends, and does not begin again in that process. It leaves the board alone where the other one has the
 *     same.
 * R6. Which one started last is said by the starts that the record counts, not by who writes first: an earlier bench
 *     may write between the moment at which a later one reads the record and that of its first write. The later one
 *     begins again then, and is not fenced.
 * R2. Where the model is served to IIO tools, they share the board that the bench drives: what they set is read back
 *     like everything else.
 * R4. Where the record of the radio cannot be read, or was removed under a living bench, the bench begins with another
 *     one, and says so: without a bench nobody silences the board.
 * R5. The guard of the board goes on until the record of the radio is there: behind it nothing but the board is waited
 *     for before the board is silenced.
 * R3. A bench that ends or fails leaves a silent transmitter: it is muted at once (supervision/tree.T1), the actions at
 *     the end of a scenario are done, and it is muted again behind them.
 */

import { randomUUID } from 'node:crypto';
import { monotonicFactory } from 'ulid';
import type { BoardOption } from '../../actors/sdr/radio/attach.ts';
import { RADIO_ID } from '../../actors/sdr/radio/binding.ts';
import { beginningBehind, isRadioEnvelope } from '../../actors/sdr/radio/kept-record.ts';
import { createRadio, type Radio } from '../../actors/sdr/radio/radio.ts';
import { createRuns, type Runs } from '../../actors/sdr/runs/runs.ts';
import type { BenchConfig } from '../../contract/bench/config.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { isLoopback } from '../../contract/loopback.ts';
import { startBenchFrontEnd } from '../../http/bench/front-end.ts';
import type { BenchIdentity } from '../../http/bench/ports.ts';
import { benchPages } from '../../http/pages/bench.ts';
import type { campaignMachine } from '../../machines/bench/campaign.ts';
import type { radioMachine } from '../../machines/bench/radio.ts';
import type { RadioContext } from '../../machines/bench/radio-protocol.ts';
import type { scenarioRunMachine } from '../../machines/bench/scenario-run.ts';
import type { CellOwner } from '../../ports/cells.ts';
import type { Stored } from '../../ports/entity.ts';
import { type IiodServer, serveIiod } from '../../radio/iio/server.ts';
import { createStub } from '../../radio/stub/stub.ts';
import { IIOD_DEFAULTS } from '../bench/board-defaults.ts';
import type { BoardGuard } from '../bench/board-guard.ts';
import { type BenchDocuments, NO_BENCH_DOCUMENTS } from '../bench/folder.ts';
import { type Hosted, hostCells } from '../cells/host.ts';
import { createSnapshotStore, type Found, type SnapshotStore } from '../cells/snapshot-store.ts';
import type { Role, RoleContext, RoleFactory } from '../role.ts';

export interface BenchOptions {
  readonly documents: BenchDocuments;
  /** 0: a free one. */
  readonly port: number;
  /** Has looked after the board until the bench does. */
  readonly guard?: BoardGuard;
}

export const PLAIN_BENCH_OPTIONS: BenchOptions = { documents: NO_BENCH_DOCUMENTS, port: 0 };

interface BenchRoleOptions extends BenchOptions {
  readonly host: string;
  readonly allowHosts: readonly string[];
  /** Called with the address at which it listens. */
  readonly listening: (url: string) => void;
}

/** Of runs: nobody else writes their records, so that all of their lives are one term. */
const EPOCH = 1;
const DEFAULT_SEED = 1;
/** A machine without a battery clock wakes in 1970, or when its image was made. */
const CLOCK_TRUSTED_FROM = Date.UTC(2026, 0, 1);

export function benchRole(options: BenchRoleOptions): RoleFactory {
  /** Another bench has the records (R1). */
  let isReplaced = false;
  const records: BenchRecords = {
    replaced: (is) => {
      isReplaced = is;
    },
    isReplaced: () => isReplaced,
  };
  return async (context) => {
    if (isReplaced) return replacedRole(context);
    const bench = new StartedBench(options, context, records);
    try {
      return await bench.start();
    } catch (error) {
      await bench.stop();
      throw error;
    }
  };
}

/** Whether another bench has the records (R1). */
interface BenchRecords {
  replaced(is: boolean): void;
  isReplaced(): boolean;
}

/** One start of the bench; what it began ends in the opposite order. */
class StartedBench {
  readonly #options: BenchRoleOptions;
  readonly #context: RoleContext;
  readonly #records: BenchRecords;
  readonly #ending: (() => Promise<unknown>)[] = [];
  #silence = async (): Promise<void> => undefined;
  /** Which start of a bench this is, counted by the record of the radio (R6). */
  #start = 0;

  constructor(options: BenchRoleOptions, context: RoleContext, records: BenchRecords) {
    this.#options = options;
    this.#context = context;
    this.#records = records;
  }

  async start(): Promise<Role> {
    const stores = storesOf(this.#context);
    const kept = await keptRadio(stores.radio);
    this.#start = startBehind(kept);
    const radio = await this.#openRadio(stores);
    reportLost(kept, radio);
    const runs = createRuns(runsOptions(radio, this.#options.documents, stores, this.#context));
    const hosted = hostAll(radio, runs, this.#context, {
      start: this.#start,
      fenced: () => void this.#fenced(stores.radio),
    });
    await this.#startRadio(radio, hosted.radio, stores.radio, kept.stored);
    await this.#startRuns(runs, hosted);
    await this.#listen(radio, runs);
    const kinds = Object.values(hosted).map(({ kind }) => kind);
    return { shared: [], kinds, halt: () => this.#silence(), stop: () => this.stop() };
  }

  async stop(): Promise<void> {
    await this.#silence();
    for (const end of this.#ending.splice(0).reverse()) await end();
  }

  /** R5 */
  async #openRadio({ radio: store }: BenchStores): Promise<Radio> {
    const { documents, guard } = this.#options;
    const { bus, clock, random, log } = this.#context;
    const silenced = (await guard?.stop()) ?? [];
    const { board, iiod } = await openBoard(documents.config, this.#context);
    if (iiod !== undefined) this.#ending.push(() => iiod.stop());
    return createRadio({
      board,
      profiles: documents.profiles,
      store,
      ...(documents.config.wired !== undefined && { wired: documents.config.wired }),
      eventRecords: bus.bucket(buckets.benchEvents),
      clock,
      random,
      log,
      silenced,
    });
  }

  async #startRadio(
    radio: Radio,
    { kind, cells }: HostedBench['radio'],
    store: SnapshotStore,
    stored: Stored | undefined,
  ): Promise<void> {
    this.#ending.push(() => kind.drain());
    if (stored === undefined) cells.start(RADIO_ID, undefined, this.#start);
    else cells.restore(RADIO_ID, stored, this.#start);
    this.#ending.push(() => radio.stop());
    this.#silence = async () => {
      if (!this.#records.isReplaced() || !(await hasSameBoard(store, radio))) await radio.silence();
    };
    await radio.start(cells);
  }

  /** Somebody else has written, or removed, the record of the radio (R1, R4, R6). */
  async #fenced(store: SnapshotStore): Promise<void> {
    this.#records.replaced(true);
    const why = await store.find(RADIO_ID).then(
      (found) => whyGone(found, this.#start),
      () => FENCED,
    );
    this.#records.replaced(why === FENCED);
    this.#context.failed(`the radio is gone: ${why}`);
  }

  /** R3 */
  async #startRuns(runs: Runs, { scenario, campaign }: HostedBench): Promise<void> {
    this.#ending.push(async () => {
      await runs.stop();
      await this.#silence();
      await Promise.all([scenario.kind.drain(), campaign.kind.drain()]);
    });
    await runs.start({ scenario: scenario.cells, campaign: campaign.cells });
  }

  async #listen({ bench, log }: Radio, { scenarios, campaigns }: Runs): Promise<void> {
    const { host, port, allowHosts, listening } = this.#options;
    const { clock, registry } = this.#context;
    const frontEnd = await startBenchFrontEnd({
      bench: { ...bench, scenarios, campaigns },
      host,
      port,
      allowHosts,
      clock,
      log,
      registry,
      pages: benchPages,
      identity: identityOf(host, this.#context),
    });
    this.#ending.push(async () => {
      frontEnd.drain();
      await frontEnd.close();
    });
    listening(frontEnd.url);
  }
}

/**
 * Asked for wherever the bench can be reached from elsewhere; undefined: nobody is asked (RF Bench Service, section 5).
 */
function identityOf(host: string, { missions, tokens, log }: RoleContext): BenchIdentity | undefined {
  if (isLoopback(host)) return undefined;
  if (missions.current?.settings.auth.required !== true)
    log.warn(
      { host },
      'anyone who reaches the bench may transmit: no configuration with auth.required is in force',
    );
  return { missions, tokens };
}

/** R1 */
function replacedRole({ log }: RoleContext): Role {
  log.error(
    {},
    'another bench has taken the records of this one: it stays off until its process is restarted',
  );
  return { shared: [], stop: async () => undefined };
}

/** Whether the bench that has the records now drives the board of this one; what cannot be read is none. */
async function hasSameBoard(store: SnapshotStore, radio: Radio): Promise<boolean> {
  const stored = await store.load(RADIO_ID).catch(() => undefined);
  const { context } = (stored?.envelope.snapshot ?? {}) as { readonly context?: RadioContext };
  return context?.board !== undefined && context.board.name === radio.boardUser.provider;
}

// The board -----------------------------------------------------------------------------------------------------------

interface OpenedBoard {
  readonly board: BoardOption;
  readonly iiod?: IiodServer;
}

/** R2 */
async function openBoard(
  { board = 'stub', stub, iiod }: BenchConfig,
  context: RoleContext,
): Promise<OpenedBoard> {
  const { clock, log } = context;
  if (board === 'iiod' && iiod !== undefined) {
    const { host, port = IIOD_DEFAULTS.port, deadline_ms = IIOD_DEFAULTS.deadlineMs } = iiod;
    return { board: { kind: 'iiod', host, port, deadlineMs: deadline_ms } };
  }
  const { seed = DEFAULT_SEED, loss_db, iiod_port } = stub ?? {};
  const loss = loss_db === undefined ? {} : { lossDb: loss_db };
  if (iiod_port === undefined) return { board: { kind: 'stub', seed, ...loss } };
  const model = createStub({ seed, clock, ...loss });
  const server = await serveIiod({ context: model, port: iiod_port, clock, log });
  log.info({ port: server.port }, 'the model is served to IIO tools');
  return { board: { kind: 'given', open: async () => model }, iiod: server };
}

// Records -------------------------------------------------------------------------------------------------------------

interface BenchStores {
  readonly radio: SnapshotStore;
  readonly scenario: SnapshotStore;
  readonly campaign: SnapshotStore;
}

function storesOf({ bus }: RoleContext): BenchStores {
  const store = (kind: string): SnapshotStore =>
    createSnapshotStore({ bus, kind, bucket: buckets.benchRuns });
  return { radio: store('radio'), scenario: store('scenario'), campaign: store('campaign') };
}

/** Another bench has started since (R1). */
const FENCED = 'fenced';

/** What the radio continues from, and the record that was lost (R4). */
interface KeptRadio {
  readonly stored: Stored | undefined;
  readonly lost?: { readonly copy: string; readonly position: number };
}

/** A record that cannot be read is copied (R4). Throws `Outage`. */
async function keptRadio(store: SnapshotStore): Promise<KeptRadio> {
  for (;;) {
    const found = await store.find(RADIO_ID);
    if (found === undefined) return { stored: undefined };
    const { envelope, position } = found;
    if (envelope !== undefined && isRadioEnvelope(envelope)) return { stored: { envelope, position } };
    const copy = await store.copyAside(RADIO_ID, position);
    if (copy !== undefined) return { stored: beginningBehind(position), lost: { copy, position } };
  }
}

/** R6 */
function startBehind({ stored, lost }: KeptRadio): number {
  if (lost !== undefined) return lost.position + 1;
  return stored === undefined ? 1 : stored.envelope.epoch + 1;
}

/** Of the start of that number, by the record that is found instead of its own. */
function whyGone(found: Found | undefined, start: number): string {
  if (found === undefined) return 'its record was removed';
  const { envelope } = found;
  const isEarlier = envelope !== undefined && envelope.epoch < start;
  return isEarlier ? 'an earlier bench, which still runs, has written its record meanwhile' : FENCED;
}

function reportLost({ lost }: KeptRadio, { events, log }: Radio): void {
  if (lost === undefined) return;
  const { copy, position } = lost;
  const message =
    `the record of the radio cannot be read: earlier revisions of profiles are not known, epochs continue at ` +
    `${position}; a copy of it is entry ${copy} of bucket ${buckets.benchRuns.name}`;
  log.error({ copy, position }, 'the record of the radio cannot be read');
  events.record({ kind: 'radio.record_lost', source: 'radio', severity: 'error', message });
}

function runsOptions(
  radio: Radio,
  { scenarios, campaigns }: BenchDocuments,
  { scenario, campaign }: BenchStores,
  { bus, clock }: RoleContext,
): Parameters<typeof createRuns>[0] {
  const rising = monotonicFactory();
  return {
    board: radio.boardUser,
    events: radio.events,
    clock,
    log: radio.log,
    profiles: () => radio.profiles(),
    documents: { scenarios, campaigns },
    stores: { scenario, campaign },
    reports: bus.bucket(buckets.benchReports),
    uptime: () => radio.uptimeMs(),
    clockTrusted: () => clock.now() >= CLOCK_TRUSTED_FROM,
    ids: { scenario: () => randomUUID(), campaign: () => rising(clock.now()), session: randomUUID() },
  };
}

// Cells ---------------------------------------------------------------------------------------------------------------

interface HostedBench {
  readonly radio: Hosted<typeof radioMachine>;
  readonly scenario: Hosted<typeof scenarioRunMachine>;
  readonly campaign: Hosted<typeof campaignMachine>;
}

/** Of the radio: which start of a bench it is (R6), and what follows where another one has its record. */
interface RadioTerm {
  readonly start: number;
  readonly fenced: () => void;
}

function hostAll(radio: Radio, runs: Runs, context: RoleContext, { start, fenced }: RadioTerm): HostedBench {
  const around = { ...context, log: radio.log };
  const owning = (gone: CellOwner['gone'], epoch = EPOCH): (() => CellOwner) => {
    const owner: CellOwner = { epochOf: () => epoch, gone };
    return () => owner;
  };
  const radioGone: CellOwner['gone'] = (_, why) => {
    if (why === 'fenced') {
      radio.replaced();
      fenced();
    } else if (why !== 'finished') context.failed(`the radio is gone: ${why}`);
  };
  const { scenario, campaign } = runs.bindings;
  return {
    radio: hostCells(radio.binding, owning(radioGone, start), around),
    scenario: hostCells(
      scenario,
      owning((id, why) => runs.gone('scenario', id, why)),
      around,
    ),
    campaign: hostCells(
      campaign,
      owning((id, why) => runs.gone('campaign', id, why)),
      around,
    ),
  };
}
