/** Light, dark or as the system has it; kept in the browser. */

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'mcs.theme';
const ORDER: readonly Theme[] = ['system', 'light', 'dark'];

/** The choice of before; `system` where nothing is kept or may be kept. */
export function chosenTheme(): Theme {
  try {
    return ORDER.find((theme) => theme === localStorage.getItem(KEY)) ?? 'system';
  } catch {
    return 'system';
  }
}

export function showTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

/** A button that goes through the three. */
export function themeSwitch(button: HTMLButtonElement): void {
  let theme = chosenTheme();
  const label = (): void => {
    button.textContent = `Theme: ${theme}`;
  };
  button.addEventListener('click', () => {
    theme = ORDER[(ORDER.indexOf(theme) + 1) % ORDER.length]!;
    showTheme(theme);
    label();
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // A browser that keeps nothing forgets the choice at the next load.
    }
  });
  label();
}
