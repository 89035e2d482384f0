/**
 * The page `/inspect`: supervision tree and search on the left, the chart of the chosen entity in the middle, what it
 * holds on the right. The address names the entity, so that a link and a reload lead back to it.
 *
 * I1. Whether what is seen is the present is always said: a lost connection marks the whole page until it is back.
 */

import type { EntityName } from '../../contract/inspection.ts';
import type { InspectTree } from '../../contract/inspector.ts';
import { every, measured, oncePerFrame } from '../browser-clock.ts';
import { byId, setAttribute, setText } from '../element.ts';
import { LiveSocket, type SocketState } from '../live-socket.ts';
import { clockTime, duration } from '../moment.ts';
import { systemAddress } from '../operator/address.ts';
import { Frame } from '../operator/frame/frame.ts';
import { Workspace } from '../operator/workspace.ts';
import { ask } from '../service.ts';
import { keptToken } from '../token.ts';
import { addressOf, entityOf } from './address.ts';
import { Announcer } from './announcer.ts';
import { EntityPage } from './entity-page.ts';
import { ProcessTree } from './process-tree.ts';
import { ReleaseDialog } from './release-dialog.ts';
import { Search } from './search.ts';
import { rowsOf, type Trouble, troubleOf } from './tree-rows.ts';
import { TroubleList } from './trouble-list.ts';

/** The service reports the tree every five seconds at least; two missed and something is wrong. */
const SILENT_MS = 12_000;
const TICK_MS = 1_000;
const SEARCH_MS = 1_000;
const AHEAD_MS = 20_000;
const ZOOM_STEP = 1.2;

class InspectPage {
  readonly #announcer = new Announcer();
  readonly #entity = new EntityPage(this.#announcer, () => this.#space.mission.answer);
  readonly #search = new Search();
  readonly #dialog = new ReleaseDialog(({ child, action }) => this.#released(child, action));
  readonly #trouble = new TroubleList((trouble, action) => this.#release(trouble, action));
  readonly #tree = new ProcessTree({
    open: (entity) => this.#open(entity),
    findKind: (kind) => this.#search.findKind(kind),
  });
  readonly #draw = oncePerFrame(() => this.#showTree());
  /** What the tree reports has changed, so what was found may have. */
  readonly #searchAgain = oncePerFrame(() => void this.#search.find(), SEARCH_MS);
  #state: SocketState = 'connecting';
  #latest: InspectTree | undefined;
  #sinceReceived = measured();
  #troubles = 0;
  readonly #space = new Workspace(
    () => this.#frame.draw(),
    () => systemAddress(location.search, location.hash),
  );
  #token = keptToken();
  readonly #frame = new Frame(this.#space, () => this.#identityChanged());
  readonly #warmed = new Set<string>();
  #warming: Promise<unknown> = Promise.resolve();

  start(): void {
    this.#buttons();
    document.addEventListener('keydown', (event) => this.#key(event));
    addEventListener('hashchange', () => this.#go());
    new LiveSocket({
      path: '/v1/inspect/tree/events',
      silentMs: SILENT_MS,
      message: (text) => this.#heard(text),
      changed: (state) => this.#connection(state),
    });
    every(() => this.#showConnection(), TICK_MS);
    void this.#search.find();
    this.#go();
  }

  /** What was read with another token, or without one, is not shown with this one. */
  #identityChanged(): void {
    if (keptToken() !== this.#token) location.reload();
    else this.#space.identityChanged();
  }

  #go(): void {
    const entity = entityOf(location.hash);
    this.#entity.choose(entity);
    this.#search.mark(entity);
  }

  #open(entity: EntityName): void {
    location.hash = addressOf(entity);
  }

  #heard(text: string): void {
    this.#latest = JSON.parse(text) as InspectTree;
    this.#sinceReceived = measured();
    this.#entity.serviceTime(this.#latest.at);
    this.#draw();
  }

  #connection(state: SocketState): void {
    const isBack = state === 'open' && this.#state === 'lost';
    if (state === 'connecting' && this.#state === 'lost') return;
    this.#state = state;
    this.#showConnection();
    // A browser does not say why a socket was refused; the answer to a question does.
    if (state === 'lost') void this.#search.find();
    if (!isBack) return;
    this.#announcer.say('Connected again');
    this.#entity.refresh();
    void this.#search.find();
  }

  #showTree(): void {
    const tree = this.#latest;
    if (tree === undefined) return;
    const troubles = troubleOf(tree);
    this.#tree.show(rowsOf(tree));
    this.#trouble.show(troubles);
    this.#entity.silent(tree.silent.map(({ instance }) => instance));
    const kinds = kindsOf(tree);
    this.#search.offerKinds(kinds);
    this.#warm(kinds);
    if (troubles.length > this.#troubles) this.#announcer.say(`${troubles.length} need attention`);
    this.#troubles = troubles.length;
    this.#searchAgain();
    this.#showConnection();
  }

  /**
   * A chart is laid out at its first question: asked before somebody waits for it, one at a time. A browser has six
   * connections, and what is looked at needs them.
   */
  #warm(kinds: readonly string[]): void {
    for (const kind of kinds) {
      if (this.#warmed.has(kind)) continue;
      this.#warmed.add(kind);
      this.#warming = this.#warming.then(() => this.#ahead(kind));
    }
  }

  async #ahead(kind: string): Promise<void> {
    const path = `/v1/inspect/charts/${encodeURIComponent(kind)}`;
    await ask(path, AbortSignal.timeout(AHEAD_MS)).catch(() => this.#warmed.delete(kind));
  }

  #showConnection(): void {
    const [tone, sign, word] = this.#health();
    const line = byId('connection', HTMLElement);
    setAttribute(line, 'class', `connection ${tone}`);
    setText(line.querySelector('.sign')!, sign);
    setText(line.querySelector('.word')!, word);
    const isStale = tone === 'bad';
    document.body.classList.toggle('stale', isStale);
    const note = byId('stale', HTMLElement);
    note.hidden = !isStale;
    setText(note, isStale ? this.#staleness() : '');
    setText(byId('summary', HTMLElement), this.#summary());
  }

  #health(): [tone: string, sign: string, word: string] {
    if (this.#state === 'lost') return ['bad', '▲', 'connection lost'];
    if (this.#latest?.bus === 'disconnected') return ['bad', '▲', 'bus away'];
    if (this.#state === 'connecting' || this.#latest === undefined) return ['muted', '○', 'connecting'];
    return ['ok', '●', 'live'];
  }

  #staleness(): string {
    const ageMs = this.#sinceReceived();
    const since = `What you see is of ${clockTime(this.#space.clock.now() - ageMs).slice(0, 8)}Z, ${duration(ageMs)} ago.`;
    const what =
      this.#state === 'lost'
        ? 'The connection to the service is lost; trying again.'
        : 'The service has lost its message bus; retrying.';
    return this.#state === 'lost' ? `${what} ${since}` : what;
  }

  #summary(): string {
    if (this.#latest === undefined) return '';
    const { processes, silent } = this.#latest;
    const kinds = processes.flatMap(({ roles }) => roles.flatMap((role) => role.kinds));
    const live = kinds.reduce((sum, kind) => sum + kind.live, 0);
    const count = processes.length;
    return [
      `${count} ${count === 1 ? 'process' : 'processes'}`,
      ...(silent.length > 0 ? [`${silent.length} silent`] : []),
      `${live} live ${live === 1 ? 'entity' : 'entities'}`,
    ].join(' · ');
  }

  #release(trouble: Trouble, action: 'resume' | 'reset'): void {
    const { instance, supervisor, name: child, where } = trouble;
    if (supervisor !== undefined) this.#dialog.ask({ instance, supervisor, child, action, where });
  }

  #released(child: string, action: 'resume' | 'reset'): void {
    this.#space.caller.soon();
    this.#space.soon();
    this.#announcer.say(`${child} ${action === 'resume' ? 'resumed' : 'reset'}`);
    this.#entity.refresh();
    void this.#search.find();
    this.#tree.focus();
  }

  #buttons(): void {
    const on = (id: string, act: () => void): void => {
      byId(id, HTMLButtonElement).addEventListener('click', act);
    };
    const { viewport } = this.#entity.drawing;
    on('zoom-in', () => viewport.zoom(ZOOM_STEP));
    on('zoom-out', () => viewport.zoom(1 / ZOOM_STEP));
    on('zoom-fit', () => viewport.fit());
    on('show-chart', () => this.#showList(false));
    on('show-list', () => this.#showList(true));
    on('show-wide', () => this.#toggleWide());
    on('keys', () => byId('keys-help', HTMLDialogElement).showModal());
  }

  #showList(isList: boolean): void {
    byId('states', HTMLElement).hidden = !isList;
    byId('chart', HTMLElement).hidden = isList;
    byId('show-list', HTMLElement).setAttribute('aria-pressed', `${isList}`);
    byId('show-chart', HTMLElement).setAttribute('aria-pressed', `${!isList}`);
  }

  /** The chart alone, whole: what stands around it comes back with the same key. */
  #toggleWide(): void {
    const isWide = document.body.classList.toggle('wide');
    byId('show-wide', HTMLElement).setAttribute('aria-pressed', `${isWide}`);
    if (isWide) this.#entity.drawing.viewport.fit();
    else this.#entity.drawing.viewport.home();
  }

  /** Single keys work where nobody is writing. */
  #key(event: KeyboardEvent): void {
    const { target } = event;
    const isWriting =
      target instanceof HTMLElement && target.matches('input:not([type=range]), select, textarea, dialog *');
    if (isWriting || event.ctrlKey || event.metaKey || event.altKey) return;
    const isList = !byId('states', HTMLElement).hidden;
    const keys: Record<string, () => void> = {
      '/': () => this.#search.focus(),
      '?': () => byId('keys-help', HTMLDialogElement).showModal(),
      t: () => this.#tree.focus(),
      c: () => byId(isList ? 'states' : 'chart', HTMLElement).focus(),
      l: () => this.#showList(!isList),
      w: () => this.#toggleWide(),
      s: () => this.#entity.run.focusSteps(),
      e: () => this.#entity.run.focusLog(),
      ',': () => this.#entity.player.step(-1),
      '.': () => this.#entity.player.step(1),
      p: () => this.#entity.player.toggle(),
    };
    const act = keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  }
}

function kindsOf({ processes }: InspectTree): string[] {
  const kinds = processes.flatMap(({ roles }) => roles.flatMap((role) => role.kinds.map(({ kind }) => kind)));
  return [...new Set([...kinds, ...(processes.length > 0 ? ['supervisor'] : [])])];
}

new InspectPage().start();
