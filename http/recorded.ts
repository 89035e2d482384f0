/** What a call is about, and what was asked, so that it can be asked again. */
export type Recorded = (
  body: unknown,
  reply: unknown,
) => { readonly subject: string; readonly data: unknown };
