/**
 * A telecommand on its way from the form to the service: typed, checked by a dry run, reviewed, sent. Pure.
 *
 * D1. What is sent is what was reviewed: any change after the review goes back to the form.
 * D2. The identifier is drawn at the review. A sending without an answer is repeated under the same one, so that
 *     the service takes it once, however often it is asked.
 * D3. A resolution that fails (`tc::…`) cannot be sent. A dry run that could not be made can: the review says so.
 * D4. An answer counts for the telecommand it is about: one that comes late says nothing of the next.
 */

import { createStore } from '@xstate/store';
import type { Encoded } from '../../../contract/telecommand.ts';
import type { ServiceError } from '../../service-error.ts';

export interface Asked {
  readonly target: string;
  readonly telecommand: string;
  readonly instance?: string;
  readonly args: Readonly<Record<string, string | number | boolean>>;
  readonly link?: string;
  readonly environment?: string;
}

export type Stage = 'form' | 'checking' | 'review' | 'sending' | 'sent';

export interface DraftState {
  readonly stage: Stage;
  /** `target component.name` that is on the form; another one begins again. */
  readonly of: string;
  /** Fields as they were typed, by name; `''` where nothing was. */
  readonly typed: Readonly<Record<string, string>>;
  readonly asked: Asked | undefined;
  /** The dry run; undefined where it could not be made. */
  readonly encoded: Encoded | undefined;
  readonly refusal: ServiceError | undefined;
  readonly id: string;
  /** What the operator typed to name a hazardous one. */
  readonly named: string;
  /** The service knew the identifier already. */
  readonly duplicate: boolean;
}

const EMPTY: DraftState = {
  stage: 'form',
  of: '',
  typed: {},
  asked: undefined,
  encoded: undefined,
  refusal: undefined,
  id: '',
  named: '',
  duplicate: false,
};

/** Refusals that a repetition of the same telecommand would meet again. */
export function isResolutionFault(refusal: ServiceError | undefined): boolean {
  return refusal?.items.some(({ code }) => code.startsWith('tc::') && code !== 'tc::target-held') ?? false;
}

export function createDraft() {
  return createStore({
    context: EMPTY,
    on: {
      begun: (_, { of, typed }: { of: string; typed: Readonly<Record<string, string>> }) => ({
        ...EMPTY,
        of,
        typed,
      }),
      /** D1 */
      typed: (state, { name, text }: { name: string; text: string }) => ({
        ...EMPTY,
        of: state.of,
        typed: { ...state.typed, [name]: text },
      }),
      checking: (state, { asked, id }: { asked: Asked; id: string }) => ({
        ...state,
        stage: 'checking' as const,
        asked,
        id,
        named: '',
        refusal: undefined,
        encoded: undefined,
      }),
      checked: (
        state,
        {
          id,
          encoded,
          refusal,
        }: { id: string; encoded?: Encoded | undefined; refusal?: ServiceError | undefined },
      ) => {
        if (state.stage !== 'checking' || state.id !== id) return state;
        const stage = isResolutionFault(refusal) ? ('form' as const) : ('review' as const);
        return { ...state, stage, encoded, refusal };
      },
      named: (state, { text }: { text: string }) => ({ ...state, named: text }),
      back: (state) => ({ ...EMPTY, of: state.of, typed: state.typed }),
      sending: (state) =>
        state.stage === 'review' ? { ...state, stage: 'sending' as const, refusal: undefined } : state,
      /** D2, D4 */
      refused: (state, { id, refusal }: { id: string; refusal: ServiceError }) =>
        isSending(state, id) ? { ...state, stage: 'review' as const, refusal } : state,
      sent: (state, { id, duplicate }: { id: string; duplicate: boolean }) =>
        isSending(state, id) ? { ...state, stage: 'sent' as const, duplicate } : state,
    },
  });
}

function isSending({ stage, id }: DraftState, asked: string): boolean {
  return stage === 'sending' && id === asked;
}

/** Whether it may be sent now; a hazardous one only by its name. */
export function maySend({ stage, named, asked }: DraftState, isHazardous: boolean): boolean {
  return stage === 'review' && (!isHazardous || named.trim() === asked?.telecommand);
}
