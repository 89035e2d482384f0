import { afterEach, expect, it, vi } from 'vitest';
import { FaultList } from '../../../mission/document/fault.ts';
import { readDocument } from '../../../mission/document/read.ts';

afterEach(() => void vi.restoreAllMocks());

it('a key that is a mapping makes no noise beside the faults of the document', () => {
  const warned = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
  const list = new FaultList();
  readDocument({ file: 'a.yaml', text: 'platform: box\n? { a: 1 }\n: 2\n' }, list);
  expect(warned).not.toHaveBeenCalled();
});
