/** Who a request comes from, as `identity.ts` found out. Mission Control Service, section 5. */

export type Caller =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'declared'; readonly name: string; readonly roles: readonly string[] }
  /** Of a token that was checked: `name` is its subject. */
  | {
      readonly kind: 'verified';
      readonly name: string;
      readonly roles: readonly string[];
      readonly token: string;
      /** When the token counts no more, ms since 1970. */
      readonly untilMs: number;
    };
