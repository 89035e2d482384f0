/**
 * What the chart of a scenario run receives, what it asks for and what it keeps. RF Bench Service, section 3. The chart
 * is `scenario-run.ts`.
 */

/** Every event says when, in ms since 1970. */
interface Timed {
  readonly at: number;
}

export type ScenarioRunEvent =
  | (Timed & { readonly type: 'board.held' })
  | (Timed & { readonly type: 'board.refused'; readonly reason: string; readonly lost: boolean })
  | (Timed & { readonly type: 'board.lost'; readonly reason: string })
  /** The step is over; what it waited for may not have come. */
  | (Timed & { readonly type: 'step.done'; readonly index: number })
  | (Timed & {
      readonly type: 'step.failed';
      readonly index: number;
      readonly reason: string;
      readonly lost: boolean;
    })
  | (Timed & { readonly type: 'operator.cancel' })
  /** The time that the campaign gives its step is over. */
  | (Timed & { readonly type: 'campaign.gaveUp'; readonly reason: string })
  /** Its time is over, or it cannot be recorded: what it had under way is aborted, and its end done, before this. */
  | (Timed & { readonly type: 'run.cutOff'; readonly reason: string })
  | (Timed & { readonly type: 'ending.done' })
  | (Timed & { readonly type: 'run.judged' } & Judgement)
  | (Timed & { readonly type: 'daemon.restarted' });

export interface Judgement {
  readonly durationMs: number;
  /** Steps that were begun and are over. */
  readonly stepsExecuted: number;
  readonly assertionsPassed: number;
  readonly assertionsFailed: number;
  readonly verified: boolean;
  readonly hasReport: boolean;
}

/** How the timeline ended. */
export interface TimelineEnd {
  readonly as: 'completed' | 'failed' | 'cancelled';
  readonly reason: string;
  /** The board is gone. */
  readonly lost: boolean;
}

/** Each names the life of the daemon that asked: another one does not do it again (scenario-run.J3). */
export type ScenarioRunEffect =
  | { readonly type: 'effect.hold'; readonly session: string }
  | { readonly type: 'effect.step'; readonly session: string; readonly index: number }
  | { readonly type: 'effect.abort'; readonly session: string; readonly reason: string }
  | { readonly type: 'effect.end'; readonly session: string }
  | { readonly type: 'effect.judge'; readonly session: string; readonly end: TimelineEnd }
  | { readonly type: 'effect.over'; readonly session: string };

export interface ScenarioRunInput {
  readonly runId: string;
  readonly scenario: string;
  readonly profileRef?: string;
  /** The life of the daemon. */
  readonly session: string;
  readonly steps: number;
  readonly limitMs: number;
  readonly at: number;
}

export interface ScenarioRunContext {
  readonly runId: string;
  readonly scenario: string;
  readonly profileRef: string | undefined;
  readonly session: string;
  readonly steps: number;
  readonly limitMs: number;
  readonly startedAt: number;
  /** Index of the step under way. */
  readonly cursor: number;
  readonly end: TimelineEnd | undefined;
  readonly judgement: Judgement | undefined;
  readonly endedAt: number | undefined;
}

/** The status a run ends with: that of its timeline, and of its assertions where the timeline was completed. */
export function endStatus(
  end: TimelineEnd,
  { assertionsFailed }: Pick<Judgement, 'assertionsFailed'>,
): 'passed' | 'failed' | 'cancelled' {
  if (end.as !== 'completed') return end.as;
  return assertionsFailed === 0 ? 'passed' : 'failed';
}
