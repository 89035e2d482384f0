/**
 * What happens to the messages of one process on their way. A source of chance is asked the same questions whether or
 * not a fault is on, so that a fault changes what it hits and nothing else.
 */

export interface Weather {
  /** One way, ms. */
  latencyMs(): number;
  /** From a stream to the process, ms. */
  pullMs(): number;
  /** Until the connection is made, ms. */
  dialMs(): number;
  /** Whether a message that nobody keeps gets lost. */
  losesMessage(): boolean;
  /** Whether a request reaches its server a second time. */
  doublesRequest(): boolean;
  /** Whether the server does what is asked of a stream or a bucket; false: it has no leader and says nothing. */
  isHeard(): boolean;
  /** What the process makes of a request it serves. */
  service(subject: string): Service;
  /** Something was asked or done; the process may end here. */
  reached(what: string, phase: 'asked' | 'done'): void;
}

export interface Service {
  /** How long it takes before it begins, and before it answers. */
  readonly beforeMs: number;
  readonly afterMs: number;
  /** It fails: no answer. */
  readonly fails: boolean;
}

export const PROMPT: Service = { beforeMs: 0, afterMs: 0, fails: false };

/** Nothing goes wrong and nothing takes time. */
export const fairWeather: Weather = {
  latencyMs: () => 0,
  pullMs: () => 0,
  dialMs: () => 0,
  losesMessage: () => false,
  doublesRequest: () => false,
  isHeard: () => true,
  service: () => PROMPT,
  reached: () => undefined,
};
