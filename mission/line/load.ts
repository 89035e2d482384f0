/** Lines of the compiled configuration to their readers and writers. Part of `load`: what does not hold is a defect. */

import { assert } from '../../contract/assert.ts';
import type {
  AnswerConfiguration,
  ArgumentConfiguration,
  PlatformConfiguration,
  TelecommandConfiguration,
} from '../configuration.ts';
import { knownOrdinal, type MeasureTable } from '../measure-table.ts';
import type { AwaitedAnswer, Enumeration, LineReader, LineWriter } from '../platform.ts';
import { compilePattern, type Pattern } from './pattern.ts';
import { answerReference, createLineReader } from './reader.ts';
import { compileWriter, type LineArgument } from './writer.ts';

/** The reader of the lines of a platform and of the answers to its telecommands. */
export function loadLines(platform: PlatformConfiguration, frame: MeasureTable): LineReader {
  const patterns = new Map<string, Pattern>();
  const raws = rawTypes(platform, frame);
  return createLineReader({
    lines: platform.lines ?? [],
    answers: platform.components.flatMap(({ telecommands }) => telecommands.flatMap(answersOf)),
    pattern: (source) => {
      const known = patterns.get(source) ?? patternOf(source, frame);
      patterns.set(source, known);
      return known;
    },
    measure: (key) => {
      const ordinal = knownOrdinal(frame, key);
      return { ...frame.measures[ordinal]!, raw: raws(ordinal) };
    },
  });
}

/** The writer of the line of a telecommand; undefined when it is no line. */
export function loadWriter(
  { encode, args }: TelecommandConfiguration,
  enumerations: ReadonlyMap<string, Enumeration>,
): LineWriter | undefined {
  if (encode?.line === undefined) return undefined;
  const compiled = compileWriter(encode.line, lineArguments(args, enumerations));
  assert(compiled.ok, `line \`${encode.line}\` compiled before`);
  return compiled.value.writer;
}

/** What the awaited answer of a verification is to those who wait for it. */
export function loadAnswer(answer: AnswerConfiguration): AwaitedAnswer {
  return Object.freeze({ reference: answerReference(answer), withinMs: answer.withinMs });
}

/** The arguments of a telecommand as a template names them, and the instance. */
export function lineArguments(
  args: readonly ArgumentConfiguration[],
  enumerations: ReadonlyMap<string, Enumeration>,
): (name: string) => LineArgument | undefined {
  const known = new Map(
    args.map(({ name, type, range }): [string, LineArgument] => {
      const signed = !type.startsWith('u') && !((range?.[0] ?? -1) >= 0);
      return [name, { name, type, enumeration: enumerations.get(type), signed }];
    }),
  );
  const instance = { name: 'instance', type: 'string', enumeration: undefined, signed: false };
  return (name) => (name === 'instance' ? instance : known.get(name));
}

function answersOf({ verify }: TelecommandConfiguration): AnswerConfiguration[] {
  return verify?.answer === undefined ? [] : [verify.answer];
}

function patternOf(source: string, frame: MeasureTable): Pattern {
  const compiled = compilePattern(source, frame.enumerations);
  assert(compiled.ok, `pattern \`${source}\` compiled before`);
  return compiled.value;
}

/** The raw type of a measure by its ordinal. */
function rawTypes({ components }: PlatformConfiguration, frame: MeasureTable): (ordinal: number) => string {
  return (ordinal) => {
    const { component, definition } = frame.measures[ordinal]!;
    const measures = components.find(({ name }) => name === component)?.measures;
    return measures?.find(({ name }) => name === definition.name)?.raw ?? definition.type;
  };
}
