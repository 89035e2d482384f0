/** A rule that makes a schedule of each pass of the target that it matches. */

import type { MissionView } from '../../../contract/mission-view.ts';
import type { Rule, RuleFilter, RuleList } from '../../../contract/schedule-rule.ts';
import { asked } from '../data/connection.ts';
import type { FieldView } from '../parts/arguments.ts';
import { focusSoon } from '../parts/focus.ts';
import type { Typed } from '../parts/procedure-fields.ts';
import type { Workspace } from '../workspace.ts';
import { PlannedForm } from './planned-form.ts';
import { plannedLine } from './planned-run.ts';
import { filterWords } from './rule-words.ts';

const ELEVATION = ' least elevation';
const STATION = ' only over';
const STATUS = ' only';
const UPLINK = ' uplink';
const EVERY = 'all of them';

export class RuleForm {
  readonly #space: Workspace;
  readonly #form: PlannedForm<Rule>;
  readonly #done: () => void;

  constructor(space: Workspace, done: () => void) {
    this.#space = space;
    this.#form = new PlannedForm(space, 'rule');
    this.#done = done;
  }

  view(mission: MissionView, stations: readonly string[]): unknown {
    const { target } = this.#space;
    return this.#form.view(
      {
        key: `rule ${target}`,
        title: `A rule for the passes of ${target}`,
        target,
        fields: filterFields(stations),
        typed: {},
        proposedId: ({ procedure }) => `${procedure}-each-pass`.replace(/[^A-Za-z0-9_-]/g, '-'),
        bodyOf: (run, typed) => ({ ...run, target, ...withFilter(typed) }),
        line: (run, typed) =>
          `${run.id}: ${plannedLine(run, mission)}, of each pass of ${target}: ${filterWords(withFilter(typed).filter)}`,
        replaced: (id) => replacedRule(id),
        path: '/v1/schedule-rules',
        button: 'Add the rule',
        done: () => {
          this.#done();
          this.#space.select({ form: '', run: '' });
          focusSoon('rule-add');
        },
        closed: () => this.#space.select({ form: '', run: '' }),
      },
      mission,
    );
  }
}

function filterFields(stations: readonly string[]): FieldView[] {
  return [
    {
      name: ELEVATION,
      type: '',
      description: 'Passes that rise at least so high, as 20 deg',
      required: false,
    },
    { name: STATION, type: '', choices: stations, required: false, fallback: EVERY },
    { name: STATUS, type: '', choices: ['booked', 'predicted'], required: false, fallback: EVERY },
    { name: UPLINK, type: '', choices: ['with', 'without'], required: false, fallback: EVERY },
  ];
}

/** What was left empty is not asked. */
function withFilter(typed: Typed): { readonly filter?: RuleFilter } {
  const {
    [ELEVATION]: elevation = '',
    [STATION]: station = '',
    [STATUS]: status = '',
    [UPLINK]: uplink = '',
  } = typed;
  const filter: RuleFilter = {
    ...(elevation.trim() !== '' && { min_elevation: elevation.trim() }),
    ...(station !== '' && { station }),
    ...(status !== '' && { status: status as 'booked' | 'predicted' }),
    ...(uplink !== '' && { uplink: uplink === 'with' }),
  };
  return Object.keys(filter).length === 0 ? {} : { filter };
}

async function replacedRule(id: string): Promise<string | undefined> {
  const list = await asked<RuleList>('/v1/schedule-rules', () => undefined);
  const known = list?.rules.find((rule) => rule.id === id);
  return (
    known && `Takes the place of rule ${id} (${known.run} on passes of ${known.target}); its schedules stay.`
  );
}
