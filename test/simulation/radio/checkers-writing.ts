/** What commands may write, and when: the order of the chain, quiet, one at a time, the board of a holder. */

import {
  does,
  isDisabledMeanwhile,
  isMuted,
  isQuiet,
  isStop,
  named,
  type RadioChecker,
  settingsOf,
} from './checker.ts';
import type { Asked, RadioHistory, Write, WriteKind } from './history.ts';

const BEHIND_THE_SWITCH: readonly WriteKind[] = ['switch', 'level', 'egress', 'data', 'counter'];
const SILENCING: readonly WriteKind[] = ['level', 'egress'];
const DISTURBING: readonly WriteKind[] = ['oscillator', 'rate', 'filter', 'switch'];

export const WRITING: readonly RadioChecker[] = [
  {
    name: 'configured-before-switched',
    promise: 'A conditioning configures nothing once it has switched the path.',
    broken: (history) =>
      history.asked
        .filter((asked) => does(asked, 'condition'))
        .flatMap((asked) => {
          const writes = settingsOf(history, asked);
          const at = writes.findIndex(({ kind }) => kind === 'switch');
          if (at === -1) return [];
          // A board that breaks behind the switch, or is taken away, may be set up again there.
          const late = writes
            .slice(at)
            .find(
              ({ kind, order }) =>
                !BEHIND_THE_SWITCH.includes(kind) &&
                !isStruck(history, asked.order, order) &&
                !isDisabledMeanwhile(history, asked, order),
            );
          return late === undefined ? [] : [`${named(asked)} writes ${late.words} behind the switch`];
        }),
  },
  {
    name: 'switched-while-quiet',
    promise: 'A path is switched only while the egress is closed and the transmitter muted.',
    broken: ({ writes }) =>
      writes
        .filter(({ kind, before }) => kind === 'switch' && (before.egressOpen || !isMuted(before)))
        .map((write) => `${reported(write)} with the egress ${egress(write)} at ${write.before.levelDb} dB`),
  },
  {
    name: 'changed-while-quiet',
    promise:
      'No apply and no conditioning changes oscillators, rates, filters or switches while the transmitter is heard.',
    broken: ({ writes, asked }) =>
      writes
        .filter(({ act, kind, before }) => {
          const by = act === undefined ? undefined : asked[act];
          return (
            by !== undefined &&
            does(by, 'apply', 'condition') &&
            DISTURBING.includes(kind) &&
            !isQuiet(before)
          );
        })
        .map((write) => `${reported(write)} with the egress open at ${write.before.levelDb} dB`),
  },
  {
    name: 'one-command-at-a-time',
    promise:
      'The settings of a command stand together but for what stops the transmitter, and nothing is written but by a command or to silence a board that was found.',
    broken: ({ writes, asked }) => [
      ...writes
        .filter(({ act, kind, after }) => act === undefined && !(SILENCING.includes(kind) && isQuiet(after)))
        .map((write) => `nobody asked: ${reported(write)}`),
      ...interrupted(writes.filter((write) => !isBeside(write, asked))).map(
        (write) => `another command came between: ${reported(write)}`,
      ),
    ],
  },
  {
    name: 'holders-alone',
    promise: 'While a run holds the board nobody else writes to it, but for what was asked before.',
    broken: ({ writes, asked, holdings }) =>
      writes.flatMap((write) => {
        const by = write.act === undefined ? undefined : asked[write.act];
        if (by === undefined) return [];
        return holdings
          .filter(({ holder, life, from, until }) => {
            if (isStop(by)) return false;
            const isDuring = life === write.life && from < by.order && by.order < until;
            return isDuring && by.by?.id !== holder.id;
          })
          .map(({ holder }) => `${holder.id} holds the board: ${reported(write)} by ${by.who}`);
      }),
  },
  {
    name: 'refused-wrote-nothing',
    promise: 'A command that is refused before it begins wrote nothing.',
    broken: (history) =>
      history.asked
        // A mute says of what was asked beside it that it was not done, and is done.
        .filter((asked) => !isStop(asked) && asked.answers.some(saysNothingDone))
        .flatMap((asked) =>
          history.writes
            .filter(({ act }) => act === asked.act)
            .slice(0, 1)
            .map((write) => `${named(asked)} was refused and ${reported(write)}`),
        ),
  },
];

/** What goes on beside settings: blocks, and what stops the transmitter. */
function isBeside({ kind, act }: Write, asked: readonly Asked[]): boolean {
  const by = act === undefined ? undefined : asked[act];
  return kind === 'data' || by === undefined || isStop(by);
}

function saysNothingDone({ outcome }: Asked['answers'][number]): boolean {
  if (outcome.ok) return false;
  const { code, message } = outcome.faults[0];
  if (code === 'board_busy' || code === 'not_found') return true;
  return /withdrawn before it began|there is no board|commands wait for the board|done before: nothing$|the chain cannot carry it|nothing to condition towards|does not hold the board/.test(
    message,
  );
}

/** Writes of a command behind those of another that came between. */
function interrupted(writes: readonly Write[]): Write[] {
  const ended = new Set<number>();
  let running: number | undefined;
  return writes.filter(({ act }) => {
    if (act === undefined) return false;
    if (act !== running && running !== undefined) ended.add(running);
    running = act;
    return ended.has(act);
  });
}

/** Whether something changed the board from outside between. */
function isStruck({ struck }: RadioHistory, from: number, until: number): boolean {
  return struck.some(({ order }) => from < order && order < until);
}

function reported({ act, words, at }: Write): string {
  return `act ${act ?? '?'} writes ${words} at ${(at / 1000).toFixed(3)}`;
}

function egress({ before }: Write): string {
  return before.egressOpen ? 'open' : 'closed';
}
