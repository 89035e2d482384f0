/** Runs in the log: every event of every run. What operators follow is `info`, steps are `detail`. */

import { alarmOfReaction } from '../../contract/alarm-name.ts';
import { streams } from '../../contract/bus/streams.ts';
import type { LoggedEvent } from '../../contract/event.ts';
import type { EventSeverity } from '../../contract/event-kinds.ts';
import { type RunEvent, readRunEvent } from '../../contract/run-event.ts';
import type { Bus, StreamMessage } from '../../ports/bus.ts';
import { eventOf, momentOf } from './event-of.ts';
import { FirstMessages } from './first-messages.ts';
import type { ReadMessage } from './stream-source.ts';

interface Started {
  readonly name: string;
  readonly target: string | undefined;
  /** Key of the alarm that it is the reaction to. */
  readonly alarm?: string;
}

/** What messages of RUNS say. */
export function runEvents(bus: Pick<Bus, 'follow'>): ReadMessage {
  const first = new FirstMessages<Started>(bus, streams.runs, ({ data }) => startedOf(readRunEvent(data)));
  return async (message) => {
    const event = readRunEvent(message.data);
    if (event === undefined) return undefined;
    if (event.event === 'started') first.note(message.subject, startedOf(event));
    return [runEvent(message, event, await first.of(message.subject))];
  };
}

export function runEvent(
  { at }: Pick<StreamMessage, 'at'>,
  event: RunEvent,
  started: Started | undefined,
): LoggedEvent {
  const [severity, said] = saidOf(event, started);
  const { run } = event;
  const name = started?.name;
  const target = 'target' in event ? event.target : started?.target;
  const by = 'by' in event ? event.by : undefined;
  return eventOf(
    {
      time: momentOf(event.at, at),
      kind: 'run',
      severity,
      subject: run,
      run,
      state: event.event,
      text: `${name === undefined ? 'Run' : `${name},`} ${name === undefined ? run : `run ${run}`}: ${said}${/[.?!]$/.test(said) ? '' : '.'}`,
      link: `/v1/runs/${run}`,
      ...(name !== undefined && { name }),
      ...(target !== undefined && { target }),
      ...(by !== undefined && { by }),
    },
    event,
  );
}

/** A run of several targets stands under the first: its document names all. */
function startedOf(event: RunEvent | undefined): Started | undefined {
  if (event?.event !== 'started') return undefined;
  const alarm = alarmOfReaction(event.by);
  const target = Object.values(event.targets ?? {})[0];
  return { name: event.procedure, target, ...(alarm !== undefined && { alarm }) };
}

function saidOf(event: RunEvent, started: Started | undefined): readonly [EventSeverity, string] {
  switch (event.event) {
    case 'started':
      return ['info', `started by ${event.by ?? 'somebody'} in environment ${event.environment}`];
    case 'finished':
      return event.ok ? ['info', 'passed'] : ['warning', `did not pass${because(event.reason)}`];
    case 'asked':
      return ['info', `asks at ${event.path}${keeps(started)}: ${event.prompt}`];
    case 'answered': {
      const value = event.value === undefined ? '' : ` with ${String(event.value)}`;
      return [
        'info',
        `${event.by ?? 'somebody'} ${event.accepted ? 'answered' : 'declined'} at ${event.path}${value}`,
      ];
    }
    case 'answer_refused':
      return ['info', `an answer of ${event.by ?? 'somebody'} at ${event.path} was refused: ${event.reason}`];
    case 'decision_required':
      return ['warning', `waits for a decision at ${event.path}${keeps(started)}: ${event.reason}`];
    case 'suspended':
      return ['warning', `suspended at ${event.path} by ${event.by}`];
    case 'continued':
      return ['info', `continued at ${event.path} by ${event.by} (${event.choice})`];
    case 'taken_over':
      return ['info', `taken over by ${event.by}`];
    case 'mode_changed':
      return ['info', `set ${event.target} to mode ${event.mode}`];
    case 'logged':
      return ['info', `says at ${event.path}: ${event.message}`];
    case 'step_finished':
      return [
        event.ok ? 'detail' : 'warning',
        `step ${event.path} ${event.ok ? 'passed' : `failed${because(event.reason)}`}`,
      ];
    case 'checked':
      return [
        'detail',
        `${event.condition} is ${event.ok ? 'so' : 'not so'} at ${event.path}${because(event.reason)}`,
      ];
    case 'telecommand_sent':
      return ['detail', `sends ${event.telecommand} to ${event.target}`];
    case 'telecommand_finished':
      return ['detail', `telecommand ${event.tc} is ${event.state}${because(event.detail)}`];
    case 'step_started':
      return ['detail', `begins step ${event.path}`];
    case 'procedure_started':
      return ['detail', `begins ${event.path}`];
    case 'procedure_finished':
      return ['detail', `ends ${event.path}`];
    default:
      return ['detail', String((event as { event: string }).event)];
  }
}

/** The reaction of another alarm waits for the target of one only so long. */
function keeps({ alarm, target }: Partial<Started> = {}): string {
  return alarm === undefined ? '' : ` as the reaction to alarm ${alarm}, and keeps ${target} meanwhile`;
}

function because(reason: string | undefined): string {
  return reason === undefined ? '' : `: ${reason}`;
}
