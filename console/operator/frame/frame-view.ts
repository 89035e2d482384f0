/** The frame around every page: what has to be in sight all the time, on every page alike. */

import { html, nothing } from 'lit-html';
import type { LinksView } from '../../../contract/links-view.ts';
import { dateTime, duration } from '../../moment.ts';
import { keptToken } from '../../token.ts';
import { hrefOf, onPage, PAGES } from '../address.ts';
import { isWaiting, standingOfRun } from '../runs/run-order.ts';
import type { Workspace } from '../workspace.ts';
import { passWords } from './pass-words.ts';

const TITLES = {
  alarms: 'Alarms',
  values: 'Values',
  telecommands: 'Telecommands',
  runs: 'Runs',
  passes: 'Passes',
  files: 'Files',
  events: 'Events',
  fleet: 'Fleet',
  system: 'System',
} as const;

export interface FrameActions {
  readonly chooseTarget: () => void;
  readonly openPalette: () => void;
  readonly changeIdentity: () => void;
}

export function frameView(space: Workspace, actions: FrameActions): unknown {
  return html`
    <div class="status" role="group" aria-label="State of ${space.target || 'the mission'}">
      <button class="target" @click=${actions.chooseTarget} aria-haspopup="dialog">
        <span class="label">Target</span> <strong>${space.target || '…'}</strong>
      </button>
      ${modeView(space)} ${alarmsView(space)} ${waitingView(space)} ${linksView(space)} ${passView(space)}
      <span class="gap"></span>
      <button @click=${actions.changeIdentity} aria-haspopup="dialog" title="Who acts; it goes into the log">
        ${identityText(space)}
      </button>
    </div>
    ${lostView(space)}
    <nav class="pages" aria-label="Pages">
      ${([...PAGES, 'system'] as const).map(
        (page) => html`<a href=${hrefOf(onPage(space.address, page, '', { target: space.target }))}
          aria-current=${space.address.page === page ? 'page' : nothing}>${TITLES[page]}${countOf(page, space)}</a>`,
      )}
      <span class="gap"></span>
      <button @click=${actions.openPalette} aria-haspopup="dialog">Go to… <kbd>Ctrl K</kbd></button>
      <time class="mono clock" title="UTC, by the clock of the service">${dateTime(space.clock.now())}</time>
      <button type="button" id="theme" title="Light, dark, or as the system has it">Theme</button>
      <a href="/docs">Interface</a>
    </nav>`;
}

/** The number that calls for somebody, in the tab. */
function countOf(page: string, space: Workspace): unknown {
  const count =
    page === 'alarms'
      ? space.alarms.all.filter(({ record }) => record.state.endsWith('_UNACK')).length
      : page === 'runs'
        ? (space.runs.answer?.runs.filter(isWaiting).length ?? 0)
        : 0;
  return count === 0 ? nothing : html` <span class="count">${count}</span>`;
}

/** Whom the service sees, with roles; before it has said that, whom the page names. */
function identityText(space: Workspace): string {
  const { answer } = space.caller;
  if (space.operator === '' && keptToken() === undefined) return 'No name given';
  const isKnown = answer?.subject !== undefined && answer.subject === space.operator;
  const roles = isKnown ? ` (${answer.roles.join(', ') || 'no role'})` : '';
  const isOut = space.caller.refusal?.status === 401;
  return `${space.operator || 'Signed in'}${isOut ? ': sign-in has ended' : roles}`;
}

function modeView(space: Workspace): unknown {
  const mode = space.links?.answer?.mode;
  return html`<span class="fact"><span class="label">Mode</span> ${mode ?? (space.links?.answer ? 'none declared' : '…')}</span>`;
}

const OVERDUE_MS = 30_000;

function linksView(space: Workspace): unknown {
  return (space.links?.answer?.links ?? []).map((link) => {
    const at = space.values?.linkAt.get(link.link);
    const age = at === undefined ? undefined : space.clock.now() - at;
    const { word, tone } = linkState(link);
    const isOld = age === undefined || age > OVERDUE_MS;
    return html`<span class="fact" title=${link.reason ?? ''}>
      <span class="label">Link</span> ${link.link} <span class=${tone}>${word}</span>
      <span class=${isOld ? 'warn' : ''}>${age === undefined ? 'no telemetry yet' : html`telemetry <span class="ticking">${duration(Math.max(0, age))} ago</span>`}</span>
    </span>`;
  });
}

/** The best of the gateways that serve the link, and whether its driver runs. */
function linkState({ driver, gateways }: LinksView['links'][number]): { word: string; tone: string } {
  if (driver === null || driver.state === 'absent') return { word: '✗ no driver', tone: 'bad' };
  if (gateways.length === 0) return { word: '○ no gateway', tone: 'muted' };
  if (gateways.some(({ state }) => state === 'up')) return { word: '● up', tone: 'ok' };
  return { word: `✗ ${gateways[0]!.state}`, tone: 'bad' };
}

function passView(space: Workspace): unknown {
  const { passes, clock } = space;
  const { text, tone } = passWords(passes?.ahead(clock.now()) ?? [], clock.now(), passes?.isLive ?? false);
  return html`<a class="fact ${tone}" href=${hrefOf(onPage(space.address, 'passes', '', { target: space.target }))}>${text}</a>`;
}

function alarmsView(space: Workspace): unknown {
  if (!space.alarms.isRead) return html`<span class="fact muted">alarms not read yet</span>`;
  const active = space.alarms.all.filter(({ record }) => record.shelved_until === undefined);
  const of = (severity: string): number => active.filter(({ record }) => record.severity === severity).length;
  const [critical, warning] = [of('critical'), of('warning')];
  const link = hrefOf(onPage(space.address, 'alarms', '', { target: space.target }));
  return html`<a class="fact" href=${link}>
    <span class="badge ${critical > 0 ? 'bad' : ''}">▲ ${critical} critical</span>
    <span class="badge ${warning > 0 ? 'warn' : ''}">△ ${warning} warning</span>
  </a>`;
}

function waitingView(space: Workspace): unknown {
  const runs = space.runs.answer?.runs ?? [];
  const waiting = runs.filter(isWaiting).length;
  const suspended = runs.filter((run) => standingOfRun(run) === 'suspended').length;
  const link = hrefOf(onPage(space.address, 'runs', '', { target: space.target }));
  return html`<a class="fact" href=${link}>
    <span class="badge ${waiting > 0 ? 'accent' : ''}">? ${waiting} ${waiting === 1 ? 'run waits' : 'runs wait'}</span>
    ${suspended === 0 ? nothing : html`<span class="badge warn">‖ ${suspended} suspended</span>`}</a>`;
}

/** What may be old is said at the top, with since when. */
function lostView(space: Workspace): unknown {
  const { lost, silentMs, missing } = space.connection.state;
  if (lost)
    return html`<p class="stale-note" role="alert">Connection lost: everything below is as it was at ${dateTime(space.clock.now() - silentMs)}. Trying again…</p>`;
  if (missing.length > 0)
    return html`<p class="stale-note warn" role="status">The service cannot do all of its work: ${missing.join('; ')}.</p>`;
  const notLive = [
    space.alarms.isRead && !space.alarms.isLive ? 'alarms' : [],
    space.values !== undefined && !space.values.isLive ? 'values' : [],
    space.reactions.isLost ? 'reactions of alarms' : [],
    space.runs.refusal !== undefined ? 'runs' : [],
    space.links?.refusal !== undefined ? 'links and mode' : [],
    space.passes?.isLost === true ? 'passes' : [],
    space.mission.refusal !== undefined ? 'the mission' : [],
  ].flat();
  if (notLive.length === 0) return nothing;
  return html`<p class="stale-note warn" role="status">Not live at the moment: ${notLive.join(', ')}. Trying again…</p>`;
}
