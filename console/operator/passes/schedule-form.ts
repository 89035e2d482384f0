/** A schedule on the selected pass, with where it would stand in it. */

import type { MissionView } from '../../../contract/mission-view.ts';
import type { Schedule } from '../../../contract/schedule.ts';
import { dateTime, duration } from '../../moment.ts';
import { asked } from '../data/connection.ts';
import type { HeldPass } from '../data/held-pass.ts';
import { focusSoon } from '../parts/focus.ts';
import type { Workspace } from '../workspace.ts';
import { PlannedForm } from './planned-form.ts';
import { OFFSET, type PlannedRun, plannedLine } from './planned-run.ts';
import { durationMs, proposedId } from './schedule-words.ts';
import { passName } from './timeline-layout.ts';

export class ScheduleForm {
  readonly #space: Workspace;
  readonly #form: PlannedForm<Schedule>;
  readonly #done: () => void;

  constructor(space: Workspace, done: () => void) {
    this.#space = space;
    this.#form = new PlannedForm(space, 'schedule');
    this.#done = done;
  }

  view(held: HeldPass, mission: MissionView, taken: ReadonlySet<string>): unknown {
    const { pass } = held.view;
    const { offset = '' } = this.#space.address.query;
    return this.#form.view(
      {
        key: `${passName(pass.target, pass.id)} ${offset}`,
        title: `Schedule a run on the pass over ${pass.station}, ${dateTime(held.aos)}`,
        target: pass.target,
        fields: [],
        typed: { [OFFSET]: offset },
        proposedId: ({ procedure }) => proposedId(procedure, pass.id, taken),
        bodyOf: (run) => ({ ...run, pass: pass.id }),
        line: (run) => lineOf(run, held, mission),
        replaced: (id) => this.#replaced(id),
        path: '/v1/schedules',
        button: 'Create the schedule',
        done: ({ id }) => {
          this.#done();
          this.#space.select({ form: '', offset: '', run: '', schedule: id });
          focusSoon('pass-title');
        },
        closed: () => this.#space.select({ form: '', offset: '', run: '' }),
      },
      mission,
    );
  }

  /** What the service has under that identifier; a final one refuses by itself. */
  async #replaced(id: string): Promise<string | undefined> {
    const known = await asked<Schedule>(`/v1/schedules/${encodeURIComponent(id)}`, () => undefined);
    return known === undefined
      ? undefined
      : `Takes the place of schedule ${id} (${known.run} on ${known.pass}, ${known.state}); its validation is dropped.`;
  }
}

function lineOf(run: PlannedRun, held: HeldPass, mission: MissionView): string {
  const offset = run.start === 'aos' ? 0 : durationMs(run.start.replace(/^aos \+ /, ''));
  const at =
    offset === undefined
      ? ''
      : ` = ${dateTime(held.aos + offset)}, ${leftWords(held.los - held.aos - offset)}`;
  return `${run.id}: ${plannedLine(run, mission)}${at}, on ${held.view.pass.id}`;
}

function leftWords(left: number): string {
  return left >= 0 ? `${duration(left)} before LOS` : `${duration(-left)} behind LOS`;
}
