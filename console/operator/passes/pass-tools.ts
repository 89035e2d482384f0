/** What the passes page shows, and the procedures that can be dragged into a pass. */

import { html, nothing } from 'lit-html';
import { typedIn } from '../parts/dom-value.ts';
import { procedureName } from '../parts/procedure-fields.ts';
import { panned, type TimeRange } from '../values/plot-time.ts';
import type { Workspace } from '../workspace.ts';
import { DRAGGED } from './timeline.ts';
import { TIMELINE_SPANS, USUAL_TIMELINE_SPAN, zoomedTimeline } from './timeline-range.ts';

const PAN = 0.5;
const ZOOM = 2;

export function passTools(space: Workspace, range: TimeRange): unknown {
  const { query } = space.address;
  const isRules = query['view'] === 'rules';
  const choose = (name: string, value: string): void => space.select({ [name]: value });
  return html`<div class="tools" role="group" aria-label="What to show">
      <label>Of <select @change=${(event: Event) => choose('scope', typedIn(event))}>
        <option value="" ?selected=${query['scope'] !== 'all'}>${space.target}</option><option value="all" ?selected=${query['scope'] === 'all'}>all targets</option></select></label>
      <label>Show <select @change=${(event: Event) => space.select({ view: typedIn(event), form: '', run: '' })}>
        <option value="" ?selected=${!isRules}>passes and schedules</option><option value="rules" ?selected=${isRules}>rules</option></select></label>
      ${isRules ? nothing : timeTools(space, range)}
    </div>
    ${isRules ? nothing : dragged(space)}`;
}

function timeTools(space: Workspace, range: TimeRange): unknown {
  const { query } = space.address;
  const span = query['span'] || USUAL_TIMELINE_SPAN;
  const middle = (range.from + range.to) / 2;
  return html`<label>Rows <select @change=${(event: Event) => space.select({ rows: typedIn(event) })}>
      <option value="" ?selected=${query['rows'] !== 'target'}>stations</option><option value="target" ?selected=${query['rows'] === 'target'}>targets</option></select></label>
    <label>Time <select @change=${(event: Event) => space.select({ span: typedIn(event), from: '', to: '' })}>
      ${range.isLive ? nothing : html`<option value=${span} selected>as chosen</option>`}
      ${Object.keys(TIMELINE_SPANS).map((each) => html`<option value=${each} ?selected=${range.isLive && each === span}>next ${each}</option>`)}</select></label>
    <span class="together"><button @click=${() => space.select(panned(range, -PAN))} aria-label="Earlier">←</button>
    <button @click=${() => space.select(panned(range, PAN))} aria-label="Later">→</button>
    <button @click=${() => space.select(zoomedTimeline(range, 1 / ZOOM, middle))} aria-label="Zoom in">+</button>
    <button @click=${() => space.select(zoomedTimeline(range, ZOOM, middle))} aria-label="Zoom out">−</button>
    <button aria-pressed=${range.isLive ? 'true' : 'false'} @click=${() => space.select({ from: '', to: '' })}>Now</button></span>`;
}

/** By pointer alone: the form of a pass does the same by keyboard. */
function dragged(space: Workspace): unknown {
  const platform = space.missionTarget?.platform ?? '';
  const fitting = (space.mission.answer?.procedures ?? []).filter(({ roles }) =>
    Object.values(roles).includes(platform),
  );
  if (fitting.length === 0) return nothing;
  return html`<div class="draggable-list" role="group" aria-label="Procedures to drag into a pass"><span class="label">Drag into a pass</span>
    ${fitting.map(
      (each) => html`<span class="draggable" draggable="true" title=${each.description ?? ''}
      @dragstart=${(event: DragEvent) => event.dataTransfer?.setData(DRAGGED, procedureName(each))}>${each.procedure}</span>`,
    )}</div>`;
}
