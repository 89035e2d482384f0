/** One statement of a leaf step, by its kind. Mission Control Service, section 4.2. */

import { assertNever } from '../../../contract/assert.ts';
import { nearHelp } from '../../../contract/near.ts';
import { checkShape } from '../../../contract/shape.ts';
import type { FaultsAt } from '../../document/fault.ts';
import {
  type AskDocument,
  type CheckDocument,
  type ConfigureDocument,
  type ConfirmDocument,
  type DownloadDocument,
  type ExpectDocument,
  type LogDocument,
  type SendDocument,
  type SetModeDocument,
  STATEMENT_KINDS,
  STATEMENT_SHAPES,
  type StatementKind,
  type UploadDocument,
  type WaitDocument,
  type WaitUntilDocument,
} from '../../document/statement.ts';
import type { Statement } from '../procedure.ts';
import { compileCheck, compileExpect, compileWaitUntil } from './condition.ts';
import { timeIn } from './duration.ts';
import { compileConfigure, compileSetMode } from './mode.ts';
import type { Names } from './names.ts';
import { compileAsk, compileConfirm } from './question.ts';
import { compileSend } from './send.ts';
import { compileText } from './text.ts';
import { compileDownload, compileUpload } from './transfer.ts';

/** Kinds that hold other statements or name a procedure: they are nodes, not statements of a step. */
export type NodeKind = 'step' | 'call' | 'if failed';

/** A statement of a known kind and the shape of its kind. */
export interface ShapedStatement {
  readonly kind: StatementKind;
  readonly document: Readonly<Record<string, unknown>>;
  readonly faults: FaultsAt;
}

/** The statement when it has one kind and the shape of it; what is wrong is reported. */
export function shaped(statement: unknown, faults: FaultsAt): ShapedStatement | undefined {
  if (typeof statement !== 'object' || statement === null || Array.isArray(statement)) {
    faults.fault(
      'not a statement',
      `write a mapping whose first key is one of ${STATEMENT_KINDS.join(', ')}`,
    );
    return undefined;
  }
  const document = statement as Readonly<Record<string, unknown>>;
  const [kind, second] = STATEMENT_KINDS.filter((each) => Object.hasOwn(document, each));
  if (kind === undefined) {
    const [first = ''] = Object.keys(document);
    faults
      .in(first)
      .keyFault(`"${first}" is not a statement`, nearHelp(first, STATEMENT_KINDS, 'statements'));
    return undefined;
  }
  if (second !== undefined) {
    faults.in(second).keyFault(`it is a ${kind} and a ${second}`, 'write each as an item of the list');
    return undefined;
  }
  return checkShape(STATEMENT_SHAPES[kind], document, faults) ? { kind, document, faults } : undefined;
}

/** The statement, longest duration included; undefined after a fault. */
export function compileStatement(
  { kind, document, faults }: ShapedStatement & { readonly kind: Exclude<StatementKind, NodeKind> },
  names: Names,
): Statement | undefined {
  switch (kind) {
    case 'send':
      return compileSend(document as SendDocument, names, faults);
    case 'expect':
      return compileExpect(document as ExpectDocument, names, faults);
    case 'check':
      return compileCheck(document as CheckDocument, names, faults);
    case 'wait_until':
      return compileWaitUntil(document as WaitUntilDocument, names, faults);
    case 'wait':
      return compileWait(document as WaitDocument, faults);
    case 'log':
      return {
        kind: 'log',
        longestMs: 0,
        message: compileText((document as LogDocument).log, names, faults.in('log')),
      };
    case 'ask':
      return compileAsk(document as AskDocument, names, faults);
    case 'confirm':
      return compileConfirm(document as ConfirmDocument, names, faults);
    case 'configure':
      return compileConfigure(document as ConfigureDocument, names, faults);
    case 'set_mode':
      return compileSetMode(document as SetModeDocument, names, faults);
    case 'download':
      return compileDownload(document as DownloadDocument, names, faults);
    case 'upload':
      return compileUpload(document as UploadDocument, names, faults);
    default:
      return assertNever(kind);
  }
}

function compileWait({ wait }: WaitDocument, faults: FaultsAt): Statement {
  const ms = timeIn(wait, faults.in('wait'));
  return { kind: 'wait', ms, longestMs: ms };
}
