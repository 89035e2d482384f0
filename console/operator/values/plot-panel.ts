/** The plot with its time axis, its legend, and what can be done with both by mouse and by keys. */

import { html, nothing } from 'lit-html';
import { later, measured } from '../../browser-clock.ts';
import { dateTime } from '../../moment.ts';
import { ageView } from '../parts/age.ts';
import { isTicked, typedIn } from '../parts/dom-value.ts';
import { intervalWords, valueText, withUnit } from '../parts/limits.ts';
import { refusalView } from '../parts/refusal.ts';
import type { Workspace } from '../workspace.ts';
import { Happenings } from './happenings.ts';
import { happeningsView } from './happenings-view.ts';
import type { Track } from './plot-data.ts';
import { PlotSource } from './plot-source.ts';
import { panned, queryOf, rangeOf, SPANS, type TimeRange, USUAL_SPAN, zoomed } from './plot-time.ts';
import { ValuePlot } from './value-plot.ts';

/** A line that moves slowly needs no more. */
const LIVE_DRAW_MS = 500;
const PAN = 0.25;
const ZOOM = 2;

export class PlotPanel {
  readonly #space: Workspace;
  readonly #source: PlotSource;
  readonly #plot: ValuePlot;
  readonly #happenings: Happenings;
  #sinceDrawn = (): number => Number.POSITIVE_INFINITY;
  #drawn = '';
  #tracks: readonly Track[] = [];

  constructor(space: Workspace) {
    this.#space = space;
    this.#source = new PlotSource(() => {
      this.#drawn = '';
      space.soon();
    });
    this.#happenings = new Happenings(() => {
      this.#drawn = '';
      space.soon();
    });
    this.#plot = new ValuePlot((from, to) => space.select(queryOf(from, to)));
    this.#plot.element.addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
    addEventListener('resize', () => {
      this.#drawn = '';
      space.soon();
    });
  }

  stop(): void {
    this.#source.stop();
    this.#happenings.stop();
    this.#plot.destroy();
    this.#space.values?.plot([]);
    this.#drawn = '';
  }

  view(names: readonly string[]): unknown {
    if (names.length === 0) return nothing;
    const range = this.#range();
    this.#space.values?.plot(names);
    this.#source.choose({ target: this.#space.target, names, range });
    this.#happenings.choose({ target: this.#space.target, names, range });
    // Behind this drawing, when the element has its width.
    later(() => this.#draw(names, range), 0);
    return html`<section class="panel" aria-labelledby="plot-title">
      <h2 id="plot-title">Plot</h2>
      ${this.#tools(range)}
      <div tabindex="0" role="group" aria-label="Plot of ${names.join(', ')}. Arrow keys move in time, plus and minus zoom; the table has the numbers."
        @keydown=${(event: KeyboardEvent) => this.#key(event)}>${this.#plot.element}</div>
      ${refusalView(this.#source.refusal)}
      ${this.#source.reservations.map((text) => html`<p class="warn">${text}</p>`)}
      ${this.#legend(names)} ${happeningsView(this.#happenings, range.from, range.to, (name) => this.#unitOf(name))}</section>`;
  }

  #unitOf(name: string): string | undefined {
    return this.#space.catalogues.of(this.#space.target)?.byName.get(name)?.unit;
  }

  #tools(range: TimeRange): unknown {
    const { query } = this.#space.address;
    const span = range.isLive ? (query['span'] ?? USUAL_SPAN) : '';
    return html`<div class="tools" role="group" aria-label="Time axis">
      <label>Last <select @change=${(event: Event) => this.#space.select({ span: typedIn(event), from: '', to: '' })}>
        ${range.isLive ? nothing : html`<option value="" selected>…</option>`}
        ${Object.keys(SPANS).map((each) => html`<option value=${each} ?selected=${each === span}>${each}</option>`)}</select></label>
      <span class="together"><button @click=${() => this.#space.select(panned(range, -PAN))} aria-label="Earlier">◀</button>
      <button @click=${() => this.#space.select(panned(range, PAN))} aria-label="Later">▶</button>
      <button @click=${() => this.#space.select(zoomed(range, 1 / ZOOM))} aria-label="Zoom in">+</button>
      <button @click=${() => this.#space.select(zoomed(range, ZOOM))} aria-label="Zoom out">−</button>
      <button aria-pressed=${range.isLive} @click=${() => this.#space.select({ from: '', to: '' })}>Live</button></span>
      <label><input type="checkbox" .checked=${query['limits'] === 'shown'} @change=${(event: Event) => this.#space.select({ limits: isTicked(event) ? 'shown' : '' })} /> limits in sight</label>
      <span class="mono muted">${dateTime(range.from)} to ${dateTime(range.to)}</span>
      ${this.#source.isAsking ? html`<span role="status" class="muted">reading…</span>` : nothing}
    </div>`;
  }

  #legend(names: readonly string[]): unknown {
    return html`<ul class="legend">${names.map((name, index) => {
      const track = this.#tracks.find((each) => each.name === name && !each.isDeferred);
      const deferred = this.#tracks.some((each) => each.name === name && each.isDeferred);
      const measure = this.#space.catalogues.of(this.#space.target)?.byName.get(name);
      const live = this.#space.values?.byName.get(name);
      const known = track?.values.filter((value) => value !== null) ?? [];
      return html`<li><span class="swatch plot-${index + 1}" aria-hidden="true"></span> <span class="mono">${name}</span>
        <strong>${withUnit(valueText(live?.sample.value), measure?.unit)}</strong> ${live === undefined ? nothing : ageView(live.groundAt, this.#space.clock.now())}
        <span class="muted">${known.length === 0 ? (track?.note ?? '') : `here ${valueText(least(known))} to ${withUnit(valueText(most(known)), measure?.unit)}`}${deferred ? '; deferred samples dashed' : ''}${measure?.soft === undefined ? '' : `; soft limits ${intervalWords(measure.soft, measure.unit)} dashed`}${measure?.hard === undefined ? '' : `; hard limits ${intervalWords(measure.hard, measure.unit)} solid`}</span></li>`;
    })}</ul>`;
  }

  #range(): TimeRange {
    return rangeOf(this.#space.address.query, this.#space.clock.now());
  }

  #draw(names: readonly string[], range: TimeRange): void {
    if (!this.#plot.element.isConnected) return;
    const key = `${names.join()} ${range.isLive ? 'live' : `${range.from} ${range.to}`} ${document.documentElement.dataset['theme'] ?? ''} ${this.#space.address.query['limits'] ?? ''}`;
    if (key === this.#drawn && (!range.isLive || this.#sinceDrawn() < LIVE_DRAW_MS)) return;
    this.#drawn = key;
    this.#sinceDrawn = measured();
    this.#tracks = this.#source.tracks(this.#space.values);
    const catalogue = this.#space.catalogues.of(this.#space.target);
    const style = getComputedStyle(document.documentElement);
    this.#plot.draw({
      tracks: this.#tracks.filter(({ note }) => note === ''),
      range,
      gaps: this.#source.gaps,
      happenings: this.#happenings.all,
      withLimits: this.#space.address.query['limits'] === 'shown',
      limitsOf: (name) => catalogue?.byName.get(name),
      colourOf: (name) => style.getPropertyValue(`--plot-${names.indexOf(name) + 1}`).trim(),
    });
  }

  #wheel(event: WheelEvent): void {
    event.preventDefault();
    const range = this.#range();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
      return this.#space.select(panned(range, (event.deltaX || event.deltaY) / 1_000));
    const at = this.#plot.timeAt(event.clientX - this.#plot.element.getBoundingClientRect().left);
    this.#space.select(zoomed(range, 2 ** (event.deltaY / 400), at));
  }

  #key(event: KeyboardEvent): void {
    const range = this.#range();
    const changes = {
      ArrowLeft: () => panned(range, -PAN),
      ArrowRight: () => panned(range, PAN),
      '+': () => zoomed(range, 1 / ZOOM),
      '-': () => zoomed(range, ZOOM),
    }[event.key];
    if (changes === undefined) return;
    event.preventDefault();
    this.#space.select(changes());
  }
}

function least(values: readonly number[]): number {
  return values.reduce((a, b) => Math.min(a, b));
}

function most(values: readonly number[]): number {
  return values.reduce((a, b) => Math.max(a, b));
}
