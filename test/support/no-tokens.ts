/** A mission without an identity provider: no token speaks for anybody. */

import { refused } from '../../contract/result.ts';
import type { Tokens } from '../../ports/tokens.ts';

export const NO_TOKENS: Tokens = {
  verify: async () => refused({ code: 'auth::no-provider', message: 'no provider', help: 'configure one' }),
};
