/**
 * What the answers claim, against what was so: readiness, the connector, loopbacks, epochs, profiles that are not
 * clean.
 */

import type { ChainState } from '../../../contract/bench/chain.ts';
import type { Profile } from '../../../contract/bench/profile.ts';
import { FAST, OTHER } from '../../actors/sdr/bench-world.ts';
import {
  answersIn,
  does,
  isDisabledMeanwhile,
  isFaulty,
  isLoopback,
  isMuted,
  isStop,
  named,
  type RadioChecker,
  settingsOf,
} from './checker.ts';
import { changesTruth } from './fault.ts';
import type { Answer, Asked, BoardTruth, RadioHistory } from './history.ts';

const PROFILES: Readonly<Record<string, Profile>> = { fast: FAST, other: OTHER };
const CHANGED_BY_HAND = ['tune', 'gain', 'loopback', 'reset', 'recover'] as const;
const LEVEL_TOLERANCE_DB = 0.13;
const OFFSET_TOLERANCE_HZ = 10;

export const ANSWERING: readonly RadioChecker[] = [
  {
    name: 'muted-in-loopbacks',
    promise: 'Behind every answer the transmitter is muted in a loopback, whoever asked for what.',
    broken: (history) =>
      answersIn(history).flatMap(({ asked, answer: { truth } }) => {
        if (truth === undefined || !isLoopback(truth) || isMuted(truth)) return [];
        return [`${named(asked)} is answered in ${truth.target} with the transmitter at ${truth.levelDb} dB`];
      }),
  },
  {
    name: 'reaches-the-connector-truly',
    promise: 'A state says that it reaches the connector only where the path is that to the air.',
    broken: (history) =>
      statesIn(history).flatMap(({ asked, state, truths }) =>
        state.reaches_the_connector && truths.every(({ target }) => target !== 'air')
          ? [`${named(asked)} says so, and the path is ${truths.at(-1)?.target ?? 'unknown'}`]
          : [],
      ),
  },
  {
    name: 'ready-is-so',
    promise: 'Where a state is ready, the board is as the applied profile asks.',
    broken: (history) =>
      statesIn(history).flatMap(({ asked, answer, state, isUndisturbed }) => {
        if (!state.ready || !isUndisturbed || answer.truth === undefined) return [];
        const profile = PROFILES[answer.active.name ?? ''];
        const wrong =
          profile === undefined ? ['no profile is applied'] : notAsAsked(state, profile, answer.truth);
        return wrong.map((what) => `${named(asked)} says ready for ${state.target}: ${what}`);
      }),
  },
  {
    name: 'answered-once',
    promise: 'Every question is answered exactly once, if the daemon lives so long.',
    broken: ({ asked, ends }) =>
      asked.flatMap((each) => {
        const { answers, life } = each;
        const isLast = !ends.some((end) => end.life > life);
        if (answers.length === 1 || (answers.length === 0 && !isLast)) return [];
        return [`${named(each)} was answered ${answers.length} times`];
      }),
  },
  {
    name: 'epochs-go-on',
    promise:
      'The count of applies never goes back, and none that was answered or shown is given again, whatever dies.',
    broken: (history) => {
      const answers = answersIn(history);
      return answers.flatMap(({ asked, answer: { outcome, order } }) => {
        if (!outcome.ok || !does(asked, 'apply') || asked.by !== undefined) return [];
        const { cfg_epoch: epoch } = outcome.value as { cfg_epoch: number };
        const before = answers.filter(({ answer }) => answer.order < asked.order);
        const last = Math.max(0, ...before.map((each) => epochIn(each.asked, each.answer.outcome)));
        return epoch > last ? [] : [`${named(asked)} has epoch ${epoch} behind ${last} (answer ${order})`];
      });
    },
  },
  {
    name: 'dirty-when-changed',
    promise:
      'A profile is dirty whenever something was written since its apply that it did not ask for, and clean behind one.',
    broken: (history) => {
      let changedBy: Asked | undefined;
      let life = 0;
      return answersIn(history).flatMap(({ asked, answer: { outcome, active, order } }) => {
        if (asked.life !== life || active.name === undefined) changedBy = undefined;
        life = asked.life;
        const isSetting = does(asked, 'apply', 'condition');
        if (isSetting && outcome.ok) {
          changedBy = undefined;
          return active.dirty ? [`${named(asked)} is done, and ${active.name} is dirty`] : [];
        }
        const isUndone = isSetting && isDisabledMeanwhile(history, asked, order);
        if ((isSetting || does(asked, ...CHANGED_BY_HAND)) && !isUndone && sinceApply(history, asked) > 0)
          changedBy = asked;
        if (active.name === undefined || changedBy === undefined || active.dirty) return [];
        // Done, and not durable yet: who asked for it is not answered, and who reads sees it.
        if (history.asked.some((other) => isUnderWay(history, other, order))) return [];
        return [`${named(changedBy)} changed the board, and behind ${named(asked)} ${active.name} is clean`];
      });
    },
  },
  {
    name: 'conditions-when-sound',
    promise:
      'A sound board is conditioned by one command, whatever it was set to, unless somebody stops the transmitter meanwhile.',
    broken: (history) =>
      answersIn(history).flatMap(({ asked, answer: { outcome, order } }) => {
        if (!does(asked, 'condition') || outcome.ok || isFaulty(history, asked.order, order)) return [];
        const isStopped = history.asked.some(
          (other) => isStop(other) && other.order > asked.order && other.order < order,
        );
        if (isStopped) return [];
        const { message } = outcome.faults[0];
        return message.includes('the chain is not conditioned') ? [`${named(asked)}: ${message}`] : [];
      }),
  },
  {
    name: 'works-again',
    promise: 'When everything is sound again, conditioning and measuring bring bytes through.',
    broken: ({ asked, epilogue }) =>
      epilogue.flatMap((act) => {
        const each = asked[act]!;
        const [answer] = each.answers;
        if (answer === undefined) return [`${named(each)} is not answered`];
        if (!answer.outcome.ok) return [`${named(each)}: ${answer.outcome.faults[0].message}`];
        const { verdict } = answer.outcome.value as { verdict?: string };
        return does(each, 'measure') && verdict !== 'BytePerfect' ? [`${named(each)} finds ${verdict}`] : [];
      }),
  },
  {
    name: 'no-defects',
    promise: 'Nothing throws that nobody catches.',
    broken: ({ defects }) => [...defects],
  },
];

/** Whether a command had written settings by then and was not yet answered. */
function isUnderWay(history: RadioHistory, asked: Asked, order: number): boolean {
  const answered = asked.answers[0]?.order ?? Number.POSITIVE_INFINITY;
  return answered > order && settingsOf(history, asked).some((write) => write.order < order);
}

/** How many settings a command wrote; of a conditioning that stopped those behind the settings of its profile. */
function sinceApply(history: RadioHistory, asked: Asked): number {
  const writes = settingsOf(history, asked);
  if (!does(asked, 'condition')) return writes.length;
  const rate = writes.findLastIndex(({ kind, failed }) => kind === 'rate' && !failed);
  // The level is the last thing that settings of a profile are.
  const level = writes.findIndex(({ kind, failed }, at) => at > rate && kind === 'level' && !failed);
  return rate === -1 || level === -1 ? writes.length : writes.length - level - 1;
}

/** The count of applies that an answer reports; 0: none. */
function epochIn(asked: Asked, outcome: Answer['outcome']): number {
  if (!outcome.ok) return 0;
  if (does(asked, 'apply') && asked.by === undefined)
    return (outcome.value as { cfg_epoch: number }).cfg_epoch;
  const shown = stateOf(asked, outcome.value)?.conditions.find(
    ({ key }) => key === 'session.profile',
  )?.observed;
  return Number(/@ epoch (\d+)/.exec(shown ?? '')?.[1] ?? 0);
}

interface StateSeen {
  readonly asked: Asked;
  readonly answer: Answer;
  readonly state: ChainState;
  /** Of the moments that it may be of. */
  readonly truths: readonly BoardTruth[];
  /** Nothing changed while it was read. */
  readonly isUndisturbed: boolean;
}

/**
 * Every state of the chain that was answered. A command reads it behind its own last write, a reading beside commands.
 */
function statesIn(history: RadioHistory): StateSeen[] {
  return answersIn(history).flatMap(({ asked, answer }) => {
    const { outcome, truth } = answer;
    if (!outcome.ok || truth === undefined) return [];
    const state = stateOf(asked, outcome.value);
    if (state === undefined) return [];
    const own = history.writes.filter(({ act }) => act === asked.act);
    const from = own.at(-1)?.order ?? asked.order;
    const isDuring = ({ order }: { readonly order: number }): boolean => from < order && order < answer.order;
    const between = history.writes.filter(isDuring);
    const strikes = history.struck.some((struck) => isDuring(struck) && changesTruth(struck.fault));
    const truths = [...between.flatMap(({ before, after }) => [before, after]), truth];
    return [{ asked, answer, state, truths, isUndisturbed: between.length === 0 && !strikes }];
  });
}

function stateOf(asked: Asked, value: unknown): ChainState | undefined {
  if (does(asked, 'state')) return value as ChainState;
  // In the name of a run it is answered in words.
  if (asked.by !== undefined) return undefined;
  if (does(asked, 'condition')) return (value as { state: ChainState }).state;
  if (does(asked, 'transmit')) return (value as { chain: ChainState }).chain;
  return undefined;
}

/** What of the board is not as the profile asks, before any lock. */
function notAsAsked({ target }: ChainState, profile: Profile, truth: BoardTruth): string[] {
  const { receiver, transmitting, receiving, isStuck, frequencyOffsetHz, levelDb } = truth;
  const wanted: readonly (readonly [string, boolean])[] = [
    [`the path is ${truth.target}`, truth.target === target],
    ['the modulator does not send', transmitting],
    ['the demodulator does not run', receiving || isStuck],
    [`the rate is ${truth.sampleRate} sps`, receiver.interpolation > 0 && rateFits(profile, truth)],
    [`the modem receives ${receiver.modulation}`, receiver.modulation === profile.modulation],
    [
      `frames have ${receiver.frameLength} bytes`,
      receiver.frameLength === (profile.framing?.frame_len ?? 256),
    ],
    [`slots are ${receiver.slots}`, receiver.slots === (profile.framing?.kind === 'slot')],
    [`the receiver is ${frequencyOffsetHz} Hz off`, Math.abs(frequencyOffsetHz) <= OFFSET_TOLERANCE_HZ],
    [`the transmitter is at ${levelDb} dB`, levelFits(profile, target, truth)],
  ];
  return wanted.flatMap(([what, holds]) => (holds ? [] : [what]));
}

/** Four samples for each symbol. */
function rateFits({ symbol_rate_baud: baud }: Profile, { sampleRate, receiver }: BoardTruth): boolean {
  return Math.abs(sampleRate / (4 * receiver.interpolation) - baud) < 1;
}

function levelFits({ tx }: Profile, target: ChainState['target'], truth: BoardTruth): boolean {
  return target === 'air' ? Math.abs(truth.levelDb - tx.gain_db) <= LEVEL_TOLERANCE_DB : isMuted(truth);
}
