/** Findings of conditions, made from what was read. */

import type { Observed } from '../board/observed.ts';
import type { ChainView, Finding } from './condition.ts';

/** Without a board nothing of it is known. */
export const NO_BOARD: Observed<never> = { error: 'no board' };

/** Whether what was read is as required; what could not be read is unknown. */
export function judged<Value>(
  observed: Observed<Value>,
  required: string,
  isMet: (value: Value) => boolean,
  words: (value: Value) => string = String,
): Finding {
  if ('error' in observed) return { required, observed: observed.error, verdict: 'unknown' };
  return { required, observed: words(observed.value), verdict: isMet(observed.value) ? 'met' : 'unmet' };
}

/** Several readings of which each has to be as required; the worst verdict counts. */
export function all(findings: readonly Finding[]): Finding {
  const verdicts = findings.map(({ verdict }) => verdict);
  return {
    required: [...new Set(findings.map(({ required }) => required))].join(', '),
    observed: findings.map(({ observed }) => observed).join(', '),
    verdict: verdicts.includes('unmet') ? 'unmet' : verdicts.includes('unknown') ? 'unknown' : 'met',
  };
}

/** A finding that needs the settings of a profile: without one nothing is required yet, so it cannot be met. */
export function bySetup(
  { session }: ChainView,
  find: (setup: NonNullable<ChainView['session']['profile']>['setup']) => Finding,
): Finding {
  if (session.profile === undefined) return { required: 'a profile', observed: 'none', verdict: 'unknown' };
  return find(session.profile.setup);
}
