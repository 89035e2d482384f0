/**
 * The access token that the page shows with every request; kept in this tab of the browser only, and gone with it.
 * Mission Control Service, section 5 item 1. The service decides whether it is good.
 */

const KEY = 'mcs.token';

/** Undefined without one. */
export function keptToken(): string | undefined {
  try {
    return sessionStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Undefined forgets it. */
export function keepToken(token: string | undefined): void {
  try {
    if (token === undefined) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, token);
  } catch {
    // Asked again at the next request.
  }
  if (token !== undefined) for (const listener of [...kept]) listener();
}

const kept = new Set<() => void>();

/** Called each time a token is kept; the result ends it. */
export function whenTokenKept(listener: () => void): () => void {
  kept.add(listener);
  return () => kept.delete(listener);
}

/** Whom the kept token names, for showing only; empty without one. */
export function namedByToken(): string {
  const { sub } = claimsOf(keptToken());
  return typeof sub === 'string' ? sub : '';
}

/** What a token says, unchecked; empty where it is no JSON Web Token. */
export function claimsOf(token: string | undefined): Readonly<Record<string, unknown>> {
  const body = token?.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/');
  try {
    const bytes = Uint8Array.from(atob(body ?? ''), (letter) => letter.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

let asks: (reason: string, byPerson: boolean) => void = () => undefined;

/** Who is informed when the service takes no request without another token. */
export function whenTokenAsked(listener: (reason: string, byPerson: boolean) => void): void {
  asks = listener;
}

/** `byPerson`: it was refused what a person did just now. */
export function tokenAsked(reason: string, byPerson = false): void {
  asks(reason, byPerson);
}
