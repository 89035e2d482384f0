/** What a telecommand comes to on board the simulated spacecraft: something to be done, or why it is refused. */

import type { Message } from './onboard-packet.ts';
import type { OnboardState } from './onboard-state.ts';

/** Codes of the reports 1,2 and 1,8. */
export const FAILURE = { crc: 1, unknown: 2, length: 3, range: 4, mode: 5 } as const;
export type Failure = (typeof FAILURE)[keyof typeof FAILURE];

/** What a task has at hand. */
export interface Execution {
  readonly nowMs: number;
  send(message: Message): void;
}

/** Does it, and sends what answers it; the code of a failure when it cannot be done now. */
export type Task = (state: OnboardState, execution: Execution) => Failure | undefined;

/** Reads the arguments after the function number: a task, or why the telecommand is not acceptable. */
export type Parse = (data: Buffer) => Task | Failure;
