/** The waterfall of one sweep with its numbers beside it. */

import type uPlot from 'uplot';
import type { Campaign } from '../../contract/bench/campaign.ts';
import type { Modulation, Profile } from '../../contract/bench/profile.ts';
import type { Attempt } from '../../contract/bench/run.ts';
import { byId, element, setAttribute, setText } from '../element.ts';
import { BenchRefusal, read } from './bench-service.ts';
import { intervalText, plotRates } from './error-rate-plot.ts';
import { type RatePicture, ratePicture } from './error-rates.ts';
import { rateText } from './log-axis.ts';
import { whenResized, whenThemeChanges } from './picture.ts';

export class RatesView {
  readonly #section = byId('rates', HTMLElement);
  readonly #place = byId('rates-plot', HTMLElement);
  #plot: uPlot | undefined;
  #picture: RatePicture | undefined;
  #shown = '';

  constructor() {
    whenThemeChanges(() => this.#draw());
    whenResized(this.#place, () => {
      if (this.#plot !== undefined && this.#plot.width !== this.#place.clientWidth) this.#draw();
    });
  }

  /** The sweep of that attempt; nothing is drawn again where nothing came. */
  async show(campaign: string, attempt: Attempt | undefined): Promise<void> {
    const shown = JSON.stringify([campaign, attempt]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    const points = attempt?.points ?? [];
    this.#section.hidden = points.length === 0;
    if (attempt === undefined || points.length === 0) return;
    const modulation = await modulationOf(campaign, attempt.step);
    if (this.#shown !== shown) return;
    const name =
      modulation === undefined ? 'theory from the points' : `theory of ${modulation.toUpperCase()}`;
    setText(byId('rates-title', HTMLElement), `Bit error rate: ${attempt.step}`);
    setText(
      byId('rates-note', HTMLElement),
      `dots: measured with intervals of 95 %; arrows: no error seen, at most this; dashed: ${name}`,
    );
    this.#picture = ratePicture(points, modulation);
    this.#draw();
    this.#table(this.#picture);
  }

  #draw(): void {
    if (this.#picture === undefined || this.#section.hidden) return;
    this.#plot?.destroy();
    this.#plot = plotRates(this.#place, this.#picture);
    setAttribute(
      this.#place,
      'aria-label',
      `Bit error rate of ${this.#picture.points.length} points; the table has the numbers`,
    );
  }

  #table({ points }: RatePicture): void {
    const cell = (text: string): HTMLElement => element('td', { class: 'mono' }, text);
    const rows = points.map((each) => {
      const { x, ebn0_db, ratio, bits, theory } = each.point;
      return element(
        'tr',
        {},
        element('th', { scope: 'row', class: 'mono' }, String(x).replace('-', '−')),
        cell(ebn0_db === undefined ? '–' : ebn0_db.toFixed(1).replace('-', '−')),
        cell(intervalText(each)),
        cell(theory === undefined ? '–' : rateText(theory)),
        cell(ratio.toFixed(4)),
        cell(String(bits)),
      );
    });
    byId('rates-table', HTMLTableElement).tBodies[0]!.replaceChildren(...rows);
  }
}

/** Of the profile that the step sweeps; undefined where that is not known any more. */
async function modulationOf(campaign: string, step: string): Promise<Modulation | undefined> {
  try {
    const { steps } = await read<Campaign>(`/api/v1/campaigns/${encodeURIComponent(campaign)}`);
    const swept = steps.find(({ id }) => id === step);
    if (swept?.kind !== 'sweep') return undefined;
    return (await read<Profile>(`/api/v1/profiles/${encodeURIComponent(swept.profile)}`)).modulation;
  } catch (error) {
    if (!(error instanceof BenchRefusal)) throw error;
    return undefined;
  }
}
