/** Reports of scenarios that are over: what they are worth, their timeline, their assertions and what was sampled. */

import type uPlot from 'uplot';
import type { Report, ReportSummary } from '../../contract/bench/run.ts';
import { byId, element, setAttribute, setText } from '../element.ts';
import { duration } from '../moment.ts';
import { read } from './bench-service.ts';
import { OutcomeLine } from './outcome-line.ts';
import { whenThemeChanges } from './picture.ts';
import { bannerOf } from './report-words.ts';
import { optionFor, showOptions } from './run-options.ts';
import { plotSamples } from './sample-plot.ts';
import { type SampleSeries, seriesOf } from './sample-series.ts';

export class ReportsView {
  readonly #list = byId('report-choice', HTMLSelectElement);
  readonly #outcome = new OutcomeLine(byId('report-outcome', HTMLElement));
  readonly #plots: uPlot[] = [];
  #report: Report | undefined;

  constructor() {
    this.#list.addEventListener('change', () => void this.#load());
    whenThemeChanges(() => this.#samples());
    addEventListener('resize', () => this.#samples());
  }

  async refresh(): Promise<void> {
    const summaries = await read<readonly ReportSummary[]>('/api/v1/reports?limit=100');
    showOptions(
      this.#list,
      summaries.map((each) => optionFor(each.run_id, summaryText(each))),
    );
    byId('report-none', HTMLElement).hidden = summaries.length > 0;
    if (this.#list.value !== '' && this.#report?.run_id !== this.#list.value) await this.#load();
  }

  async open(runId: string): Promise<void> {
    await this.refresh();
    this.#list.value = runId;
    await this.#load(runId);
  }

  /** Also one that the list does not have: of a campaign long ago. */
  async #load(runId = this.#list.value): Promise<void> {
    try {
      this.#show(await read<Report>(`/api/v1/reports/${encodeURIComponent(runId)}`));
      this.#outcome.clear();
    } catch (error) {
      this.#outcome.refused(error);
    }
  }

  #show(report: Report): void {
    this.#report = report;
    byId('report', HTMLElement).hidden = false;
    const { tone, title, text } = bannerOf(report);
    setAttribute(byId('report-banner', HTMLElement), 'class', `banner ${tone}`);
    setText(byId('report-title', HTMLElement), title);
    setText(byId('report-text', HTMLElement), text);
    setText(byId('report-facts', HTMLElement), factsOf(report));
    const bodyOf = (id: string): HTMLTableSectionElement => byId(id, HTMLTableElement).tBodies[0]!;
    bodyOf('assertions').replaceChildren(...report.assertions.map(assertionRow));
    bodyOf('timeline').replaceChildren(...report.events.map(eventRow));
    this.#samples();
  }

  #samples(): void {
    for (const plot of this.#plots.splice(0)) plot.destroy();
    const place = byId('samples', HTMLElement);
    if (this.#report === undefined || place.offsetParent === null) return;
    const { metric_samples, sample_interval_ms, duration_ms } = this.#report;
    const tick = sample_interval_ms === undefined ? '' : `, one every ${sample_interval_ms} ms`;
    const count = metric_samples.length;
    setText(
      byId('samples-note', HTMLElement),
      count === 0 ? 'No sampler was attached.' : `${count} readings${tick}`,
    );
    const series = seriesOf(metric_samples);
    const endS = Math.max((duration_ms ?? 0) / 1000, ...series.map(({ seconds }) => seconds.at(-1) ?? 0));
    const figures = series.map((each) => {
      const caption = `${each.name}, last ${lastText(each.last)}`;
      return element('figure', {}, element('figcaption', { class: 'mono' }, caption));
    });
    place.replaceChildren(...figures);
    for (const [at, each] of series.entries()) this.#plots.push(plotSamples(figures[at]!, each, endS));
  }
}

function summaryText({ scenario_name, status, started_at }: ReportSummary): string {
  return `${started_at.slice(0, 19).replace('T', ' ')}Z · ${scenario_name} · ${status}`;
}

function lastText(last: SampleSeries['last']): string {
  if (last === null) return 'not reported';
  return typeof last === 'number' ? String(Number(last.toPrecision(6))) : String(last);
}

function factsOf(report: Report): string {
  const { scenario_name, profile_ref, duration_ms, steps_executed, run_id } = report;
  const { assertions_passed = 0, assertions_failed = 0 } = report;
  return [
    scenario_name,
    ...(profile_ref === undefined ? [] : [`profile ${profile_ref}`]),
    ...(duration_ms === undefined ? [] : [duration(duration_ms)]),
    ...(steps_executed === undefined ? [] : [`${steps_executed} steps`]),
    `${assertions_passed} of ${assertions_passed + assertions_failed} assertions passed`,
    run_id,
  ].join(' · ');
}

function assertionRow({
  name,
  passed,
  verified,
  message,
}: Report['assertions'][number]): HTMLTableRowElement {
  return element(
    'tr',
    {},
    element('th', { scope: 'row' }, name),
    element('td', { class: passed ? 'ok' : 'bad' }, passed ? '✓ passed' : '✗ failed'),
    element('td', { class: verified ? '' : 'muted' }, verified ? 'the link' : 'the script'),
    element('td', {}, message),
  );
}

function eventRow({
  elapsed_ms,
  event_id,
  kind,
  description,
}: Report['events'][number]): HTMLTableRowElement {
  const tone = /fail|error|refus/.test(kind) ? 'bad' : '';
  return element(
    'tr',
    {},
    element('th', { scope: 'row', class: 'mono' }, `${(elapsed_ms / 1000).toFixed(3)} s`),
    element('td', { class: 'mono' }, event_id ?? ''),
    element('td', { class: `mono ${tone}` }, kind),
    element('td', {}, description),
  );
}
