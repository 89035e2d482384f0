/** All of one event, and where the console has the thing that it is about. */

import { html, nothing } from 'lit-html';
import { type Address, fragmentOf, onPage } from '../address.ts';
import { whyLink } from '../parts/why.ts';
import type { ShownEvent } from './event-log.ts';

/** `isMeasure`: whether the target has a measure of that name. */
export function eventDetail(
  event: ShownEvent,
  address: Address,
  isMeasure: (target: string, name: string) => boolean,
  narrow: Narrow,
): unknown {
  const { time, kind, severity, target, subject, name, state, by, run, text } = event;
  const facts = { target, kind, severity, name, state };
  return html`<section class="panel" aria-labelledby="event-title"><h2 id="event-title">Event</h2>
    <p class="prompt">${text}</p>
    <p class="mono">${new Date(time).toISOString()}</p>
    <dl class="facts across">${Object.entries(facts).map(([label, value]) => (value === undefined ? nothing : html`<div><dt>${label}</dt><dd>${value}</dd></div>`))}
      ${factButton('about', subject, () => narrow({ subject }))}
      ${factButton('by', by, () => narrow({ by: by ?? '' }))}
      ${factButton('run', run, () => narrow({ run: run ?? '' }))}</dl>
    <p>${placeOf(event, address, isMeasure)}</p></section>`;
}

type Narrow = (changes: Readonly<Record<string, string>>) => void;

function factButton(label: string, value: string | undefined, narrow: () => void): unknown {
  if (value === undefined) return nothing;
  return html`<div><dt>${label}</dt><dd><span class="mono">${value}</span> <button @click=${narrow} aria-label="only these: ${label} ${value}">only these</button></dd></div>`;
}

/** A link to the page that has it; nothing where no page does. */
function placeOf(
  { kind, target = '', subject, name = '', run, text }: ShownEvent,
  address: Address,
  isMeasure: (target: string, name: string) => boolean,
): unknown {
  const to = (page: Address['page'], selected: string, more: Readonly<Record<string, string>> = {}): string =>
    fragmentOf(
      onPage(address, page, selected, { target: target || (address.query['target'] ?? ''), ...more }),
    );
  const link = (href: string, words: string): unknown => html`<a href=${href}>${words}</a>`;
  const ofRun = run === undefined || kind === 'run' ? nothing : html` ${link(to('runs', run), 'its run')}`;
  const why = html` ${whyLink(kind, subject, target, text)}`;
  if (kind === 'run') return html`${link(to('runs', subject), 'the run')}${why}`;
  if (kind === 'telecommand') return html`${whyLink(kind, `${target}.${subject}`, target, text)}${ofRun}`;
  if (kind === 'alarm')
    return html`${isMeasure(target, name) ? link(to('values', '', { plot: name }), 'its measure, plotted') : link(to('alarms', '', { find: name }), 'the alarms')}${ofRun}${why}`;
  if (kind === 'schedule' || kind === 'transfer') return html`${why}${ofRun}`;
  if (kind === 'pass') return link(to('passes', subject), 'the pass');
  if (kind === 'unit' || kind === 'connector' || kind === 'link') return link(to('fleet', ''), 'the fleet');
  return ofRun;
}
