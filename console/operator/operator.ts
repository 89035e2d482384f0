/**
 * The operator's console: the frame, the page that the address names, and the palette.
 *
 * O1. Nothing is sent to the service but by a button whose effect stands beside it; no key alone sends anything.
 */

import { render } from 'lit-html';
import { byId } from '../element.ts';
import { addressOf, type PageName } from './address.ts';
import { AlarmsPage } from './alarms/alarms-page.ts';
import { EventsPage } from './events/events-page.ts';
import { FilesPage } from './files/files-page.ts';
import { FleetPage } from './fleet/fleet-page.ts';
import { Frame } from './frame/frame.ts';
import { KeptFocus } from './parts/focus.ts';
import { PassesPage } from './passes/passes-page.ts';
import { RunsPage } from './runs/runs-page.ts';
import { TelecommandsPage } from './telecommands/telecommands-page.ts';
import { ValuesPage } from './values/values-page.ts';
import { type Page, Workspace } from './workspace.ts';

const main = byId('main', HTMLElement);
const space = new Workspace(draw, () => addressOf(location.hash));
const kept = new KeptFocus();
const frame = new Frame(space, () => space.identityChanged());

const pages: Readonly<Record<PageName, Page>> = {
  alarms: new AlarmsPage(space),
  values: new ValuesPage(space),
  telecommands: new TelecommandsPage(space),
  runs: new RunsPage(space),
  passes: new PassesPage(space),
  files: new FilesPage(space),
  events: new EventsPage(space),
  fleet: new FleetPage(space),
};
let shown: Page | undefined;

function draw(): void {
  const { page: name } = space.address;
  // The system page is another document.
  const page = pages[name === 'system' ? 'alarms' : name];
  if (page !== shown) {
    shown?.left?.();
    shown = page;
    page.shown?.();
  }
  document.title = `${space.target} · ${page.title}`;
  frame.draw();
  kept.around(() => render(page.view(), main));
}

draw();
void frame.finishSignIn();
