/** header-text.N1: names of people in headers. */

import { describe, expect, it } from 'vitest';
import { headerText, textOfHeader } from '../../contract/header-text.ts';

describe('a text in a header', () => {
  it.each([
    '',
    'ada',
    'Ada Lovelace, "ops"',
    'José',
    'Łucja',
    '王伟',
    'a\nb',
    '👩‍🚀',
    "UTF-8''x",
    "utf-8'en'%41",
    '50 %',
  ])('header-text.N1 %j arrives as it was sent, in printable ASCII', (text) => {
    expect(headerText(text)).toMatch(/^[\u0020-\u007e]*$/);
    expect(textOfHeader(headerText(text))).toBe(text);
  });

  it('header-text.N1 is sent as it is where it may be', () => {
    expect(headerText('Ada Lovelace')).toBe('Ada Lovelace');
    expect(headerText('José')).toBe("UTF-8''Jos%C3%A9");
    expect(headerText('a\ud800')).toBe("UTF-8''a%EF%BF%BD");
  });

  it('header-text.N1 is not guessed', () => {
    expect(textOfHeader("utf-8'de'M%C3%BCller")).toBe('Müller');
    expect(textOfHeader("ada utf-8''%41")).toBe("ada utf-8''%41");
    for (const value of ['Zo\ufffd', 'Zoë', 'a\tb', "UTF-8''%E9", "UTF-8''%"])
      expect(textOfHeader(value)).toBeUndefined();
  });
});
